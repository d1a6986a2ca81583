import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMAND_ROOMS, commandsOf, firstWord } from './command-rooms.ts';
import { createProgram } from './main.ts';
import { createProgramWith } from './program.ts';
import { Terminal } from './terminal.ts';

const terminal = new Terminal(
  { stdout: process.stdout, stderr: process.stderr } as never,
  new AbortController().signal,
);

/** All that a person can see of a command and of those below it. */
function described(command: Command | undefined): unknown {
  return command && { help: command.helpInformation(), below: command.commands.map((below) => described(below)) };
}

const whole = createProgram(terminal).commands;

test('every command of the program is found by its first word', () => {
  const words = [...Object.keys(COMMAND_ROOMS), 'up', 'stop', 'stdio', 'console', 'completion', 'demo'];
  expect(words.sort()).toEqual(whole.map((command) => command.name()).sort());
});

test.each(whole.map((command) => [command.name(), command] as const))(
  '`%s` is the same alone as in the whole program',
  async (name, command) => {
    const addCommands = await commandsOf(name);
    const alone = createProgramWith(terminal, addCommands ?? (() => {})).commands.find(
      (candidate) => candidate.name() === name,
    );
    expect(described(alone)).toEqual(described(command));
  },
);

test.each(['help', 'help --help', 'help nonsense', '--help', 'nonsense', 'toString'])(
  '%s asks for the whole program',
  async (line) => {
    expect(await commandsOf(firstWord(line.split(' ')))).toBeUndefined();
  },
);

test('help of a command asks for what the command asks for', () => {
  expect([firstWord(['help', 'mcp', 'add']), firstWord(['mcp', 'add']), firstWord([])]).toEqual([
    'mcp',
    'mcp',
    undefined,
  ]);
});
