import { commandsOf } from './command-rooms.ts';

/** The entry of the command. Whoever starts it waits for it, so it loads the commands of one room where the first word tells which. */
export async function start(argv: readonly string[]): Promise<void> {
  const addCommands = await commandsOf(argv[0] === 'help' ? argv[1] : argv[0]);
  if (!addCommands) return (await import('./main.ts')).main(argv);
  const { runInProcess } = await import('./program.ts');
  return runInProcess(argv, addCommands);
}
