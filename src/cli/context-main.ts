import { runInProcess } from './program.ts';
import { contextWiring } from './rooms/context.ts';

/** The command `context`: the same as `bindery context`, without the other rooms, so that it starts fast. */
export function main(argv: readonly string[]): Promise<void> {
  return runInProcess(['context', ...argv], contextWiring.addCommands);
}
