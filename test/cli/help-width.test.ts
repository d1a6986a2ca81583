import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/main.ts';
import { Terminal } from '../../src/cli/terminal.ts';

const every = (command: Command): Command[] => [command, ...command.commands.flatMap(every)];

test('no help is wider than 80 columns', () => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  const program = createProgram(new Terminal({ stdout: stream, stderr: stream }, new AbortController().signal));
  const shown: string[] = [];
  for (const command of every(program)) {
    command.configureOutput({ writeOut: (text) => void shown.push(text), getOutHelpWidth: () => 80 });
    command.outputHelp();
  }
  expect(
    shown
      .join('')
      .split('\n')
      .filter((line) => line.length > 80),
  ).toEqual([]);
});
