import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { afterAll, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/main.ts';
import { addOperationCommand } from '../../src/cli/operation-command.ts';
import { runProgram } from '../../src/cli/program.ts';
import { wirings } from '../../src/cli/rooms.ts';
import { Terminal } from '../../src/cli/terminal.ts';
import { BinderyError } from '../../src/contract/errors.ts';
import { encodeOutput } from '../../src/contract/execute.ts';
import type { AnyOperation, Call } from '../../src/contract/operation.ts';
import { HIDDEN, HOSTILE, layoutOf, outputOf, SEVERAL_LINES } from '../support/hostile-text.ts';
import { argvFor, sampleInput } from '../support/sample-input.ts';

/*
 * Every operation that has a command is run with an output of its own shape in which every text is hostile. Nothing hidden may
 * reach the terminal, and what is printed has the lines and columns that it has with plain text.
 */

const folder = mkdtempSync(join(tmpdir(), 'bindery-hostile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const operations = wirings
  .flatMap(({ room }) => room.operations as readonly AnyOperation[])
  .filter(({ cli }) => cli !== false)
  .map((operation) => [operation.id, operation] as const);

interface Written {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command of an operation that does `run` and nothing else. */
async function runCommand(
  { admit: _, ...operation }: AnyOperation,
  run: (call: Call) => unknown,
  { json = false, isTTY = false } = {},
): Promise<Written> {
  const written = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') =>
    Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          written[name] += chunk;
          done();
        },
      }),
      { isTTY },
    );
  const stub: AnyOperation = { ...operation, run: (_input, _deps, call) => run(call) };
  const argv = argvFor(operation, sampleInput(operation), folder, ...(json ? ['--json'] : []));
  const streams = { stdout: into('stdout'), stderr: into('stderr') };
  await runProgram(argv, streams, new AbortController().signal, (program, terminal) =>
    addOperationCommand(program, stub, { terminal, deps: () => ({}) }),
  );
  return written;
}

const hostile = (operation: AnyOperation) => outputOf(operation, () => HOSTILE);
const plain = (operation: AnyOperation) => {
  const { manyLines = [] } = operation.cli || {};
  return outputOf(operation, (member) => (manyLines.includes(member ?? '') ? SEVERAL_LINES : 'plain'));
};

const isPrinted = ({ cli }: AnyOperation) => cli !== false && cli.print !== undefined;

test.each(operations.filter(([, operation]) => isPrinted(operation)))(
  '%s prints hostile text as text: nothing hidden, no line and no column more',
  async (_id, operation) => {
    const bad = await runCommand(operation, () => hostile(operation));
    const good = await runCommand(operation, () => plain(operation));
    expect(`${bad.stdout}${bad.stderr}`).not.toMatch(HIDDEN);
    expect([layoutOf(bad.stdout), layoutOf(bad.stderr)]).toEqual([layoutOf(good.stdout), layoutOf(good.stderr)]);
  },
);

test.each(operations.filter(([, operation]) => !isPrinted(operation)))(
  '%s writes for programs, and at a terminal nothing hidden',
  async (_id, operation) => {
    const { stdout, stderr } = await runCommand(operation, () => hostile(operation), { isTTY: true });
    expect(`${stdout}${stderr}`).not.toMatch(HIDDEN);
  },
);

test.each(operations)(
  '%s as JSON: the bytes of every face, and at a terminal the same value without anything hidden',
  async (_id, operation) => {
    const output = hostile(operation);
    const piped = await runCommand(operation, () => output, { json: true });
    const shown = await runCommand(operation, () => output, { json: true, isTTY: true });
    const encoded = encodeOutput(operation, output);
    expect(piped.stdout).toBe(encoded.endsWith('\n') ? encoded : `${encoded}\n`);
    expect(shown.stdout).not.toMatch(HIDDEN);
    const values = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    // What is no JSON is exempt: an export has lines of its own, forms are pages.
    if (isJsonLines(piped.stdout)) expect(values(shown.stdout)).toEqual(values(piped.stdout));
  },
);

test.each(operations)(
  '%s fails in two remarks, whose further lines are indented, whatever the error says, and its progress stays on one line',
  async (_id, operation) => {
    const error = new BinderyError('INTERNAL', { detail: HOSTILE, next: HOSTILE, members: { [HOSTILE]: HOSTILE } });
    const fail = (call: Call) => {
      call.progress(1, 2, HOSTILE);
      throw error;
    };
    const { stderr } = await runCommand(operation, fail);
    const remarks = stderr.split('\n').filter((line) => !line.startsWith('  '));
    expect([remarks.map((line) => line.split(' ')[0]), HIDDEN.test(stderr)]).toEqual([['error:', 'next:', ''], false]);
    const shown = await runCommand(operation, fail, { json: true, isTTY: true });
    // The line of progress is written over by the program itself.
    expect(`${shown.stdout}${shown.stderr.replaceAll('\r\u001b[2K', '')}`).not.toMatch(HIDDEN);
  },
);

test('commands that are no operation are known here, and shown with hostile text by tests of their own', () => {
  const leaves = (command: Command, words: string): string[] =>
    command.commands.length === 0
      ? [words]
      : command.commands.flatMap((child) => leaves(child, `${words} ${child.name()}`));
  const program = createProgram(new Terminal(process, new AbortController().signal));
  const ofOperations = new Set(operations.map(([, { cli }]) => (cli ? cli.command : '')));
  const others = leaves(program, '')
    .map((words) => words.trim())
    .filter((words) => !ofOperations.has(words));
  // `stdio` and `context serve` write messages of the protocol, in which JSON has no raw control characters; `completion`, `console`
  // and `stop` print nothing that others wrote.
  expect(others.sort()).toEqual([
    'approvals watch',
    'completion',
    'console',
    'context serve',
    'demo oauth',
    'shell',
    'stdio',
    'stop',
    'up',
  ]);
});

function isJsonLines(text: string): boolean {
  try {
    for (const line of text.trimEnd().split('\n')) JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
