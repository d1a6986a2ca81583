import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { addOperationCommand } from '../../src/cli/operation-command.ts';
import { runProgram } from '../../src/cli/program.ts';
import { wirings } from '../../src/cli/rooms.ts';
import { BinderyError } from '../../src/contract/errors.ts';
import { execute } from '../../src/contract/execute.ts';
import { type AnyOperation, bindRoom, type Call } from '../../src/contract/operation.ts';
import { toProblem } from '../../src/contract/problem.ts';
import { createMemoryLog } from '../../src/contract/testing/memory-log.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { createToolset } from '../../src/mcp/toolset.ts';
import { argvFor, badTextFor, type Input, requestFor, sampleInput } from '../support/sample-input.ts';

/*
 * What an operation does follows from its input and from what its room runs on. So here each operation of the house
 * answers with the input that it heard: then equal answers on all faces mean equal input, whatever the operation does.
 */

const folder = mkdtempSync(join(tmpdir(), 'bindery-faces-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const operations = wirings.flatMap(({ room }) => room.operations as readonly AnyOperation[]);
const REQUEST_ID = 'r';
const call: Call = {
  face: 'library',
  requestId: REQUEST_ID,
  signal: new AbortController().signal,
  header: () => undefined,
  peerAddress: undefined,
  progress: () => {},
};

/** Read from a query in a way of their own, which the tests of their rooms show. */
const OWN_QUERY = new Set(['civic.get_path_directory']);

/** The same operation, and what it says is what it heard. */
function echoing({ admit: _, encode: __, ...operation }: AnyOperation): AnyOperation {
  const { http, mcp, cli } = operation;
  const { meta: _meta, etag: _etag, keep: _keep, contentType: _type, streams: _streams, ...bareHttp } = http || {};
  const { isError: _isError, meta: _toolMeta, ...bareMcp } = mcp || {};
  const { exit: _exit, note: _note, ...bareCli } = cli || {};
  return {
    ...operation,
    http: http && ({ ...bareHttp } as typeof http),
    mcp: mcp && ({ ...bareMcp } as typeof mcp),
    cli: cli && ({ ...bareCli } as typeof cli),
    run: (input: unknown) => ({ heard: input }),
  };
}

/** What each face of the operation answers. */
async function askFaces(operation: AnyOperation, input: Input) {
  const rooms = [bindRoom({ name: 'echo', summary: '', operations: [operation] }, {})];
  const options = { rooms, version: '1', log: createMemoryLog(), newRequestId: () => REQUEST_ID };
  const answers: Record<string, string> = {};
  if (operation.http && !OWN_QUERY.has(operation.id)) {
    const { path, init } = requestFor(operation.http, input);
    answers.http = await (await createHttpApp(options).request(path, init)).text();
  }
  if (operation.mcp) {
    const result = await createToolset(options).call(operation.mcp.tool, input, call);
    answers.mcp = result.content[0]?.text as string;
  }
  if (operation.cli) answers.cli = await command(operation, input);
  return answers;
}

async function command(operation: AnyOperation, input: Input): Promise<string> {
  const argv = argvFor(operation, input, folder, '--json');
  let written = '';
  const into = new Writable({
    write(chunk, _encoding, done) {
      written += chunk;
      done();
    },
  });
  await runProgram(argv, { stdout: into, stderr: into }, call.signal, (program, terminal) =>
    addOperationCommand(program, operation, { terminal, deps: () => ({}) }),
  );
  return written;
}

/** What each face says, beside what it should say of this error. */
async function expectError(operation: AnyOperation, input: Input, error: BinderyError): Promise<void> {
  const problem = { ...toProblem(error, undefined, operation.failures), request_id: undefined };
  const withoutId = (text: string) => ({ ...JSON.parse(text), request_id: undefined });
  const { toolText } = operation.failures;
  const { http, mcp, cli } = await askFaces(operation, input);
  if (http !== undefined) expect(withoutId(http)).toEqual(problem);
  if (mcp !== undefined) expect(toolText ? mcp : withoutId(mcp)).toEqual(toolText ? toolText(error) : problem);
  if (cli !== undefined) expect(withoutId(cli)).toEqual(problem);
}

const named = operations.map((operation) => [operation.id, echoing(operation)] as const);

test.each(named)('%s hears the same input on each of its faces', async (_, operation) => {
  const input = sampleInput(operation);
  const heard = JSON.parse(JSON.stringify({ heard: operation.input.parse(input) }));
  const answers = Object.entries(await askFaces(operation, input)).map(([face, text]) => [face, JSON.parse(text)]);
  expect(answers).not.toEqual([]);
  expect(answers).toEqual(answers.map(([face]) => [face, heard]));
});

test.each(named.filter(([, operation]) => badTextFor(operation)))(
  '%s refuses a bad value in the same words on each of its faces',
  async (_, operation) => {
    const bad = badTextFor(operation) as Input;
    await expectError(operation, bad, await errorOf(operation, bad));
  },
);

test.each(
  named.filter(([, operation]) => !operation.input.safeParse({ ...sampleInput(operation), surplus: 'x' }).success),
)('%s refuses a member too many in the same words on each face that can carry one', async (_, operation) => {
  const bad = { ...sampleInput(operation), surplus: 'x' };
  // A command knows its flags: another one is an error of the command line.
  await expectError({ ...operation, cli: false }, bad, await errorOf(operation, bad));
});

test.each(named)('%s fails in the same words on each of its faces', async (_, operation) => {
  const error = new BinderyError(operation.failures.internal, { detail: 'it broke' });
  const broken = {
    ...operation,
    run: () => {
      throw error;
    },
  };
  await expectError(broken, sampleInput(operation), error);
});

async function errorOf(operation: AnyOperation, input: Input): Promise<BinderyError> {
  try {
    await execute(operation, input, {}, call);
  } catch (thrown) {
    return thrown as BinderyError;
  }
  return expect.unreachable();
}
