import { randomUUID } from 'node:crypto';
import { Command, CommanderError } from 'commander';
import { BinderyError, toBinderyError } from '../contract/errors.ts';
import { toProblem } from '../contract/problem.ts';
import { VERSION } from '../runtime/version.ts';
import { Terminal, type TerminalStreams } from './terminal.ts';

/** Adds the commands of one program; a program with fewer rooms loads less and starts faster. */
export type AddCommands = (program: Command, terminal: Terminal) => void;

/** Runs one command line against the process's own streams and leaves the exit code in `process.exitCode`. */
export async function runInProcess(argv: readonly string[], addCommands: AddCommands): Promise<void> {
  const interrupt = new AbortController();
  // Who listens once is gone when the next one looks: libraries that clean up would then end the process at once.
  process.on('SIGINT', () => {
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort();
  });
  // The writer learns of a closed pipe by its write; an error that nobody hears would end the process as well.
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
    await createProgramWith(terminal, addCommands).parseAsync([...argv], { from: 'user' });
  } catch (thrown) {
    await reportFailure(thrown, terminal, argv.includes('--json'));
  }
  return signal.aborted ? 130 : terminal.exitCode;
}

/** The command tree, with the house's way to print and to fail. */
export function createProgramWith(terminal: Terminal, addCommands: AddCommands): Command {
  const program = new Command('bindery')
    .description('The one MCP endpoint between an agent and everything it uses.')
    .version(VERSION)
    .configureOutput({ writeOut: (text) => void terminal.out(text), writeErr: () => {} })
    .exitOverride();
  addCommands(program, terminal);
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput(program.configureOutput());
    if (command.commands.length === 0) continue;
    command
      .allowExcessArguments()
      .allowUnknownOption()
      .action(() => answerGroup(command, command.args[0]));
  }
  return program;
}

/** A group without a verb is a question, not an error of the caller's. */
function answerGroup(group: Command, verb: string | undefined): void {
  if (verb === undefined) group.help({ error: false });
  throw new BinderyError('USAGE', {
    detail: `"${verb}" is not a command of ${group.name()}`,
    next: `It has: ${group.commands.map((command) => command.name()).join(', ')}.`,
  });
}

async function reportFailure(thrown: unknown, terminal: Terminal, asJson: boolean): Promise<void> {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return;
    const [detail, hint] = thrown.message.replace(/^error: /, '').split('\n');
    const next = hint?.replace(/^\((.*)\)$/, '$1');
    const error = new BinderyError('USAGE', { detail: detail as string, ...(next ? { next } : {}) });
    if (!asJson) return terminal.fail(error);
    terminal.exitCode = error.row.exit;
    return terminal.document(`${JSON.stringify(toProblem(error, randomUUID()))}\n`);
  }
  return terminal.fail(toBinderyError(thrown));
}

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...everyCommand(child)]);
}
