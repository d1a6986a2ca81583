import { randomUUID } from 'node:crypto';
import { Command, CommanderError, Help, type Option } from 'commander';
import { BinderyError, toBinderyError } from '../contract/errors.ts';
import { toProblem } from '../contract/problem.ts';
import { VERSION } from '../runtime/version.ts';
import { GROUPS, helpOf } from './help/command-help.ts';
import { SHORT_HELP } from './help/short-help.ts';
import { helpFirst, refuseUnknownHelp, unknownCommand, unknownVerb } from './help/unknown-command.ts';
import { Terminal, type TerminalStreams } from './terminal.ts';

/** Adds the commands of one program. A program with fewer rooms starts faster. */
export type AddCommands = (program: Command, terminal: Terminal) => void;

/** Runs one command line against the process's own streams and leaves the exit code in `process.exitCode`. */
export async function runInProcess(argv: readonly string[], addCommands: AddCommands): Promise<void> {
  const interrupt = new AbortController();
  // A permanent listener: with `once`, libraries that clean up would see no listener and end the process.
  process.on('SIGINT', () => {
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort();
  });
  // Writers notice a closed pipe by their write; an unhandled error event would end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.exitCode = await runProgram(argv, process, interrupt.signal, addCommands);
}

/** Runs one command line and resolves with its exit code. */
export async function runProgram(
  argv: readonly string[],
  streams: TerminalStreams,
  signal: AbortSignal,
  addCommands: AddCommands,
): Promise<number> {
  const terminal = new Terminal(streams, signal);
  try {
    if (argv.length === 0) await terminal.out(SHORT_HELP);
    else await runCommand(createProgramWith(terminal, addCommands), argv);
  } catch (thrown) {
    await reportFailure(thrown, terminal, argv);
  }
  return signal.aborted ? 130 : terminal.exitCode;
}

async function runCommand(program: Command, typed: readonly string[]): Promise<void> {
  const argv = helpFirst(program, typed);
  refuseUnknownHelp(program, argv);
  try {
    await program.parseAsync(withHelpFlag(argv), { from: 'user' });
  } catch (thrown) {
    const code = thrown instanceof CommanderError ? thrown.code : undefined;
    const word = program.args[0] ?? argv[0] ?? '';
    if (code === 'commander.unknownCommand') throw unknownCommand(word, program);
    if (code === 'commander.unknownOption' && argv[0] === '-v') throw unknownCommand('-v', program);
    throw thrown;
  }
}

/** `help mcp add` is `mcp add --help`. */
export function withHelpFlag([first, ...rest]: readonly string[]): string[] {
  return first === 'help' ? [...rest, '--help'] : first === undefined ? rest : [first, ...rest];
}

/** The command tree, with our own output and error handling. */
export function createProgramWith(terminal: Terminal, addCommands: AddCommands): Command {
  const program = new Command('bindery')
    .description('The one MCP endpoint between an agent and everything it uses.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({ writeOut: (text) => void terminal.out(text), writeErr: () => {} })
    .helpCommand(false)
    .configureHelp({
      minWidthToWrap: 30,
      optionTerm: ({ flags }) => shortTerm(flags).term,
      optionDescription,
      visibleCommands: inHelpOrder,
    })
    .addHelpText('after', '\nHelp for one command: bindery help COMMAND')
    .exitOverride();
  addCommands(program, terminal);
  for (const [words, command] of everyCommand(program, '')) {
    command.exitOverride().configureOutput(program.configureOutput()).helpOption('-h, --help', 'print this help');
    describe(words, command);
    if (command.commands.length === 0) continue;
    command
      .addHelpText('after', `\nHelp for one command: bindery help ${words} COMMAND`)
      .allowExcessArguments()
      .allowUnknownOption()
      .action(() => answerGroup(command, command.args[0]));
  }
  return program;
}

/** Commands in the order in which a person needs them. Others follow in their own order. */
function inHelpOrder(command: Command): Command[] {
  const visible = new Help().visibleCommands(command);
  if (command.parent) return visible;
  const placeOf = (one: Command) => {
    const place = FIRST_COMMANDS.indexOf(one.name());
    return place < 0 ? FIRST_COMMANDS.length : place;
  };
  return visible.toSorted((a, b) => placeOf(a) - placeOf(b));
}

const FIRST_COMMANDS: readonly string[] =
  'init import mcp catalog connect disconnect up stop console restore doctor tools policy approvals audit keys config'.split(
    ' ',
  );

/** Maximum width of option names, so that descriptions fit on 80 columns. */
const TERM_CHARS_MAX = 28;

/** An option as the help shows it; its values are listed separately if they are too long. */
function shortTerm(flags: string): { readonly term: string; readonly values: readonly string[] } {
  const [written = '', values = ''] = /<([^>]*\|[^>]*)>$/.exec(flags) ?? [];
  if (written === '' || flags.length <= TERM_CHARS_MAX) return { term: flags, values: [] };
  return { term: flags.replace(written, '<value>'), values: values.split('|') };
}

function optionDescription(option: Option): string {
  const { values } = shortTerm(option.flags);
  const text = new Help().optionDescription(option);
  return values.length === 0 ? text : `${text}; one of ${values.join(', ')}`;
}

/** A group without a verb shows its help, not an error. */
function answerGroup(group: Command, verb: string | undefined): void {
  if (verb === undefined) group.help({ error: false });
  throw unknownVerb(group, verb);
}

async function reportFailure(thrown: unknown, terminal: Terminal, argv: readonly string[]): Promise<void> {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return;
    const [detail, hint] = thrown.message.replace(/^error: /, '').split('\n');
    const next = hint?.replace(/^\((.*)\)$/, '$1') ?? usageHint(thrown.code, argv);
    return report(new BinderyError('USAGE', { detail: detail as string, ...(next ? { next } : {}) }), terminal, argv);
  }
  return report(toBinderyError(thrown), terminal, argv);
}

/** Reports a usage error as JSON if the command line asks for it: no command read its flags. */
async function report(error: BinderyError, terminal: Terminal, argv: readonly string[]): Promise<void> {
  if (error.code !== 'USAGE' || !argv.includes('--json')) return terminal.fail(error);
  terminal.exitCode = error.row.exit;
  return terminal.document(`${JSON.stringify(toProblem(error, randomUUID()))}\n`);
}

/** A hint from the examples of the command. */
function usageHint(code: string, argv: readonly string[]): string | undefined {
  const words = argv.slice(0, argv.findIndex((word) => word.startsWith('-')) >>> 0);
  const command = [3, 2, 1]
    .map((count) => words.slice(0, count).join(' '))
    .find((name) => helpOf(name).examples.length > 0);
  if (command === undefined) return undefined;
  if (command === 'mcp add' && code === 'commander.unknownOption' && !argv.includes('--')) {
    return 'Write -- before the command that starts the server: `bindery mcp add NAME -- COMMAND …`.';
  }
  return `Example: \`${helpOf(command).examples[0]}\`. Its help: \`bindery help ${command}\`.`;
}

/** A group shows its purpose, a command its usage. */
function describe(words: string, command: Command): void {
  if (command.description() === '') command.description(GROUPS[words] ?? '');
  const { examples } = helpOf(words);
  if (examples.length === 0) return;
  command.addHelpText(
    'after',
    `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${examples.map((line) => `  ${line}`).join('\n')}`,
  );
}

/** All commands below one, with their words. */
function everyCommand(command: Command, before: string): [string, Command][] {
  return command.commands.flatMap((child) => {
    const words = `${before}${child.name()}`;
    return [[words, child] as [string, Command], ...everyCommand(child, `${words} `)];
  });
}
