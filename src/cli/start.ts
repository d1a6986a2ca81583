/**
 * The entry of the command. A gateway is waited for by whoever starts it, so `up` loads what it serves and not every
 * command of every room.
 */
export async function start(argv: readonly string[]): Promise<void> {
  if (argv[0] !== 'up') return (await import('./main.ts')).main(argv);
  const [{ runInProcess }, { addUpCommand }] = await Promise.all([import('./program.ts'), import('./up.ts')]);
  return runInProcess(argv, addUpCommand);
}
