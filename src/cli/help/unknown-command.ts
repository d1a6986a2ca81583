import type { Command } from 'commander';
import { BinderyError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest-word.ts';

/** What people type who know other tools. */
const MEANT: Readonly<Record<string, string>> = {
  start: 'up',
  serve: 'up',
  version: '--version',
  '-v': '--version',
  rm: 'remove',
  delete: 'remove',
  ls: 'list',
};

/** A first word that is no command: what it may mean, also where it is a verb of a group. */
export function unknownCommand(word: string, program: Command): BinderyError {
  const meant = commandMeant(word, program);
  return new BinderyError('USAGE', {
    detail: `unknown ${word.startsWith('-') ? 'option' : 'command'} '${word}'`,
    next: meant === undefined ? 'All commands: `bindery --help`.' : `Did you mean \`bindery ${meant}\`?`,
  });
}

/** A verb that a group does not have. */
export function unknownVerb(group: Command, verb: string): BinderyError {
  const names = group.commands.map((command) => command.name());
  const meant = nearestWord(MEANT[verb] ?? verb, names);
  const words = wordsOf(group);
  return new BinderyError('USAGE', {
    detail: `unknown ${verb.startsWith('-') ? 'option' : 'command'} '${words} ${verb}'`,
    next: meant === undefined ? `It has: ${names.join(', ')}.` : `Did you mean \`bindery ${words} ${meant}\`?`,
  });
}

/** What a person types for a group, such as `mcp auth`. */
function wordsOf(group: Command): string {
  const { parent } = group;
  return parent?.parent ? `${wordsOf(parent)} ${group.name()}` : group.name();
}

/** `help` of words that are no command would print the help of something else. */
export function refuseUnknownHelp(program: Command, [first, ...rest]: readonly string[]): void {
  if (first !== 'help') return;
  let command = program;
  for (const word of rest) {
    if (command.commands.length === 0 || word.startsWith('-')) return;
    const child = command.commands.find((one) => one.name() === word);
    if (!child) throw command === program ? unknownCommand(word, program) : unknownVerb(command, word);
    command = child;
  }
}

function commandMeant(typed: string, program: Command): string | undefined {
  const word = MEANT[typed.toLowerCase()] ?? typed.toLowerCase();
  if (word.startsWith('-')) return word;
  const names = program.commands.map((command) => command.name());
  if (names.includes(word)) return word;
  const verbs = program.commands.flatMap((group) =>
    group.commands.map((command) => `${group.name()} ${command.name()}`),
  );
  const having = (verb: string) => verbs.filter((words) => words.endsWith(` ${verb}`));
  // Servers are what most verbs are about.
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
