import { BinderyError } from './errors.ts';
import type { Call, Failures } from './operation.ts';
import { toProblem } from './problem.ts';

/**
 * Work as lines of JSON: `{"step"}` as each step is taken, then `{"result"}` or `{"problem"}`. The work is aborted when its reader
 * leaves. An unexpected failure breaks the stream.
 */
export function workStream<Step, Result>(
  work: (tell: (step: Step) => void, signal: AbortSignal) => Promise<Result>,
  { requestId }: Pick<Call, 'requestId'>,
  failures: Failures,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const left = new AbortController();
  return new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (line: object) => {
        if (!left.signal.aborted) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      };
      // `start` must not be awaited: lines are read while the work runs.
      void work((step) => send({ step }), left.signal)
        .then(
          (result) => send({ result }),
          (thrown: unknown) => {
            if (!(thrown instanceof BinderyError)) throw thrown;
            send({ problem: toProblem(thrown, requestId, failures) });
          },
        )
        .then(
          () => left.signal.aborted || controller.close(),
          (thrown: unknown) => left.signal.aborted || controller.error(thrown),
        );
    },
    cancel() {
      left.abort();
    },
  });
}
