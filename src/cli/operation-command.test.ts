import { Writable } from 'node:stream';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { exampleRoom } from '../contract/testing/example-room.ts';
import { addOperationCommand } from './operation-command.ts';
import { Terminal } from './terminal.ts';

async function run(...argv: string[]) {
  const written = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += chunk;
        done();
      },
    });
  const terminal = new Terminal({ stdout: into('stdout'), stderr: into('stderr') }, new AbortController().signal);
  const program = new Command('bindery');
  for (const operation of exampleRoom.operations) {
    addOperationCommand(program, operation, { terminal, deps: () => ({ factor: 10 }) });
  }
  await program.parseAsync(argv, { from: 'user' });
  return { ...written, exitCode: terminal.exitCode };
}

test('flags and arguments become the input, and the answer is printed with a newline', async () => {
  expect(await run('example', 'scale', 'apples', '--numbers', '1', '--numbers', '2', '--negate')).toEqual({
    stdout: '{"unit":"apples","numbers":[-10,-20]}\n',
    stderr: '',
    exitCode: 0,
  });
});

test('a person gets words, a program gets JSON', async () => {
  expect((await run('example', 'store', '--name', 'x')).stdout).toBe('stored x\n');
  expect((await run('example', 'store', '--name', 'x', '--json')).stdout).toBe('{"stored":"x"}\n');
});

test('a failure says what is wrong and what to do next on stderr', async () => {
  expect(await run('example', 'store', '--name', 'taken')).toEqual({
    stdout: '',
    stderr:
      'error: The port is in use: that name (PORT_IN_USE)\nnext: Stop the program that listens there, or choose another port with --port (0 picks a free one).\n',
    exitCode: 1,
  });
});

test('with --json a failure is the problem object on stdout', async () => {
  const { stdout, stderr, exitCode } = await run('example', 'scale', 'apples', '--numbers', 'x', '--json');
  expect([JSON.parse(stdout).code, stderr, exitCode]).toEqual(['INVALID_ARGUMENTS', '', 1]);
});

test('an unforeseen error shows its kind and place for a report, and no internal text', async () => {
  const { stderr, exitCode } = await run('example', 'store', '--name', 'broken');
  expect([stderr.includes('secret'), exitCode]).toEqual([false, 1]);
  expect(stderr).toMatch(/^cause: Error at .+\nnext: Try again\. .+ report it with the lines above\.$/m);
});
