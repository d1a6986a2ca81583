import { Command, CommanderError } from 'commander';
import { toBinderyError } from '../contract/errors.ts';
import { usageError } from './operation-command.ts';
import { wirings } from './rooms.ts';
import { Terminal, type TerminalStreams } from './terminal.ts';
import { addUpCommand } from './up.ts';
import { VERSION } from './version.ts';

/** Runs one command line against the process's own streams and leaves the exit code in `process.exitCode`. */
export async function main(argv: readonly string[]): Promise<void> {
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  process.exitCode = await run(argv, process, interrupt.signal);
}

/** Runs one command line and resolves with its exit code. */
export async function run(argv: readonly string[], streams: TerminalStreams, signal: AbortSignal): Promise<number> {
  const terminal = new Terminal(streams, signal);
  try {
    await createProgram(terminal).parseAsync([...argv], { from: 'user' });
  } catch (thrown) {
    await reportFailure(thrown, terminal);
  }
  return signal.aborted ? 130 : terminal.exitCode;
}

/** The whole command tree. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('bindery')
    .description('The one MCP endpoint between an agent and everything it uses.')
    .version(VERSION)
    .configureOutput({ writeOut: (text) => void terminal.out(text), writeErr: () => {} })
    .exitOverride();
  for (const wiring of wirings) wiring.addCommands(program, terminal);
  addUpCommand(program, terminal);
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput(program.configureOutput());
    // A group without a verb is a question, not an error of the caller's.
    if (command.commands.length > 0) command.action(() => command.help({ error: false }));
  }
  return program;
}

async function reportFailure(thrown: unknown, terminal: Terminal): Promise<void> {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return;
    return terminal.fail(usageError(thrown.message.replace(/^error: /, '')));
  }
  return terminal.fail(toBinderyError(thrown));
}

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...everyCommand(child)]);
}
