import type { Command } from 'commander';
import { addCompletionCommand } from './completion-command.ts';
import { addConsoleCommand } from './console-command.ts';
import { addDemoCommand } from './demo/demo-command.ts';
import { type AddCommands, createProgramWith, runInProcess, runProgram } from './program.ts';
import { wirings } from './rooms.ts';
import { addStdioCommand } from './stdio.ts';
import { addStopCommand } from './stop-command.ts';
import type { Terminal, TerminalStreams } from './terminal.ts';
import { addUpCommand } from './up.ts';

/** Adds all commands, for words that any room may own. */
export const addEveryCommand: AddCommands = (program, terminal) => {
  for (const wiring of wirings) wiring.addCommands(program, terminal);
  addUpCommand(program, terminal);
  addStopCommand(program, terminal);
  addStdioCommand(program, terminal);
  addConsoleCommand(program, terminal);
  addCompletionCommand(program, terminal);
  addDemoCommand(program, terminal);
};

/** Runs one command line against the process's own streams and leaves the exit code in `process.exitCode`. */
export function main(argv: readonly string[]): Promise<void> {
  return runInProcess(argv, addEveryCommand);
}

/** Runs one command line and resolves with its exit code. */
export function run(argv: readonly string[], streams: TerminalStreams, signal: AbortSignal): Promise<number> {
  return runProgram(argv, streams, signal, addEveryCommand);
}

/** The whole command tree. */
export function createProgram(terminal: Terminal): Command {
  return createProgramWith(terminal, addEveryCommand);
}
