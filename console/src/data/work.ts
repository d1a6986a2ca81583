import { Problem, type Request, send } from './api.ts';

type Line<Step, Result> = {
  readonly step?: Step;
  readonly result?: Result;
  readonly problem?: Record<string, unknown>;
};

/** Follows work in the gateway: reports each step, then returns the result; throws the `Problem` that it ended with. */
export async function watchWork<Step, Result>(
  path: string,
  request: Request,
  onStep: (step: Step) => void,
): Promise<Result> {
  const { body } = await send(path, { ...request, method: 'POST' });
  for await (const line of linesOf(body)) {
    const { step, result, problem } = JSON.parse(line) as Line<Step, Result>;
    if (problem) throw new Problem(Number(problem.status), problem);
    if (result !== undefined) return result;
    if (step !== undefined) onStep(step);
  }
  throw new TypeError('the connection ended before the work did');
}

async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
