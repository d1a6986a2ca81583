import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { GROUPS, helpOf } from '../../src/cli/help/command-help.ts';
import { createProgram } from '../../src/cli/main.ts';
import { Terminal } from '../../src/cli/terminal.ts';
import { root } from '../support/repository.ts';
import { commandLines, wordsOf } from '../support/written-commands.ts';

const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
const program = createProgram(new Terminal(streams, new AbortController().signal));

function leaves(command: Command, words: string[]): [string, Command][] {
  if (command.commands.length === 0) return [[words.join(' '), command]];
  return command.commands.flatMap((child) => leaves(child, [...words, child.name()]));
}
const commands = new Map(leaves(program, []));

/** What is wrong with a command line as it is written; undefined: nothing that can be seen without running it. */
function mistakeIn(line: string): string | undefined {
  const words = wordsOf(line).slice(1);
  if (words.length === 0 || words[0] === 'help') return undefined;
  const found = [3, 2, 1].map((count) => words.slice(0, count).join(' ')).find((name) => commands.has(name));
  const command = found === undefined ? undefined : commands.get(found);
  if (!found || !command) return 'there is no such command';
  const rest = words.slice(found.split(' ').length);
  const flags = rest.slice(0, rest.indexOf('--') >>> 0).filter((word) => /^--?[a-z]/.test(word));
  const unknown = flags.find(
    (flag) => !command.options.some((option) => [option.long, option.short].includes(flag.split('=')[0])),
  );
  if (unknown !== undefined) return `${unknown} is no option of ${found}`;
  const required = command.registeredArguments.filter((argument) => argument.required).length;
  return rest.filter((word) => !word.startsWith('-')).length < required ? 'an argument is missing' : undefined;
}

const pages = ['README.md', ...readdirSync(join(root, 'docs', 'guides')).map((name) => `docs/guides/${name}`)];

test.each(pages)('every command of %s is one', (page) => {
  const lines = commandLines(readFileSync(join(root, page), 'utf8'));
  expect(lines.map((line) => [line, mistakeIn(line)]).filter(([, mistake]) => mistake !== undefined)).toEqual([]);
});

test.each([...commands.keys()])('%s has a description and an example that is one of its command lines', (name) => {
  const { examples } = helpOf(name);
  expect([commands.get(name)?.description() !== '', examples.length > 0]).toEqual([true, true]);
  expect(examples.map((line) => mistakeIn(line)).filter((mistake) => mistake !== undefined)).toEqual([]);
  expect(examples.filter((line) => !line.startsWith(`bindery ${name}`))).toEqual([]);
});

test('every group says what it is for', () => {
  const groups = program.commands.filter((command) => command.commands.length > 0);
  expect(groups.filter((group) => group.description() === '').map((group) => group.name())).toEqual([]);
  expect(Object.keys(GROUPS).length).toBeGreaterThan(0);
});
