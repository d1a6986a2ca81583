import type { Command } from 'commander';
import { BinderyError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest-word.ts';

/** Commands of other tools, and our equivalents. */
const MEANT: Readonly<Record<string, string>> = {
  start: 'up',
  serve: 'up',
  version: '--version',
  '-v': '--version',
  rm: 'remove',
  delete: 'remove',
  ls: 'list',
};

/** The error for an unknown first word, with a suggestion; the word may also be the verb of a group. The suggestion starts with `asked`. */
export function unknownCommand(word: string, program: Command, asked = ''): BinderyError {
  const meant = commandMeant(word, program);
  return new BinderyError('USAGE', {
    detail: `unknown ${word.startsWith('-') ? 'option' : 'command'} '${word}'`,
    next: meant === undefined ? 'All commands: `bindery --help`.' : `Did you mean \`bindery ${asked}${meant}\`?`,
  });
}

/** The error for an unknown verb of a group. */
export function unknownVerb(group: Command, verb: string, asked = ''): BinderyError {
  const names = group.commands.map((command) => command.name());
  const meant = nearestWord(MEANT[verb] ?? verb, names);
  const words = wordsOf(group);
  return new BinderyError('USAGE', {
    detail: `unknown ${verb.startsWith('-') ? 'option' : 'command'} '${words} ${verb}'`,
    next: meant === undefined ? `It has: ${names.join(', ')}.` : `Did you mean \`bindery ${asked}${words} ${meant}\`?`,
  });
}

/** The words of a group, such as `mcp auth`. */
function wordsOf(group: Command): string {
  const { parent } = group;
  return parent?.parent ? `${wordsOf(parent)} ${group.name()}` : group.name();
}

const HELP = 'help ';

/** The line with `help` as its first word: `mcp help add` is `help mcp add`, and `help help` is `help`. Words after a command are its own. */
export function helpFirst(program: Command, argv: readonly string[]): readonly string[] {
  const words: string[] = [];
  let command: Command | undefined = program;
  let isHelp = false;
  for (const word of argv) {
    const isGroup: boolean = command !== undefined && command.commands.length > 0;
    if (isGroup && word === HELP.trim()) {
      isHelp = true;
      continue;
    }
    if (isGroup) command = command?.commands.find((one) => one.name() === word);
    words.push(word);
  }
  return isHelp ? [HELP.trim(), ...words] : argv;
}

/** Refuses `help` for unknown commands, which would print another help. */
export function refuseUnknownHelp(program: Command, [first, ...rest]: readonly string[]): void {
  if (first !== 'help') return;
  let command = program;
  for (const word of rest) {
    if (command.commands.length === 0 || word.startsWith('-')) return;
    const child = command.commands.find((one) => one.name() === word);
    if (!child) throw command === program ? unknownCommand(word, program, HELP) : unknownVerb(command, word, HELP);
    command = child;
  }
}

function commandMeant(typed: string, program: Command): string | undefined {
  const word = MEANT[typed.toLowerCase()] ?? typed.toLowerCase();
  if (word.startsWith('-')) return word;
  const names = [...program.commands.map((command) => command.name()), HELP.trim()];
  if (names.includes(word)) return word;
  const verbs = program.commands.flatMap((group) =>
    group.commands.map((command) => `${group.name()} ${command.name()}`),
  );
  const having = (verb: string) => verbs.filter((words) => words.endsWith(` ${verb}`));
  // Most verbs are about servers, so prefer `mcp`.
  const [named] = having(word).sort((a, b) => Number(b.startsWith('mcp ')) - Number(a.startsWith('mcp ')));
  if (named !== undefined) return named;
  const nearest = nearestWord(word, names);
  if (nearest !== undefined) return nearest;
  const verb = nearestWord(
    word,
    new Set(verbs.filter((words) => words.startsWith('mcp ')).map((words) => words.slice(4))),
  );
  return verb === undefined ? undefined : `mcp ${verb}`;
}
