import { commandsOf, firstWord } from './command-rooms.ts';

/** The entry point of the command. To start fast, it loads only the commands of the room that the first word names. */
export async function start(argv: readonly string[]): Promise<void> {
  const addCommands = await commandsOf(firstWord(argv));
  if (!addCommands) return (await import('./main.ts')).main(argv);
  const { runInProcess } = await import('./program.ts');
  return runInProcess(argv, addCommands);
}
