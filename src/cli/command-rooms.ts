import type { AddCommands } from './program.ts';
import type { Wiring } from './wiring.ts';

const context = async () => (await import('./rooms/context.ts')).contextWiring;
const bind = async () => (await import('./rooms/bind.ts')).bindWiring;
const civic = async () => (await import('./rooms/civic.ts')).civicWiring;
const host = async () => {
  const [{ hostWiring }, { nameResolverOf }] = await Promise.all([
    import('./rooms/host.ts'),
    import('./rooms/name-resolver.ts'),
  ]);
  return hostWiring(nameResolverOf([]));
};
const gateway = async () => (await import('./rooms/gateway.ts')).gatewayWiring;
const administration = async () => (await import('./rooms/administration.ts')).administrationWiring;

/** The rooms with commands below a first word, so that a command loads no other room. */
export const COMMAND_ROOMS: Readonly<Record<string, readonly (() => Promise<Wiring>)[]>> = {
  context: [context],
  bind: [bind],
  civic: [civic],
  mcp: [host],
  config: [host],
  shell: [host],
  tools: [host, gateway],
  approvals: [gateway],
  policy: [gateway],
  audit: [gateway],
  nodes: [gateway],
  init: [administration],
  catalog: [administration],
  import: [administration],
  restore: [administration],
  connect: [administration],
  doctor: [administration],
  disconnect: [administration],
  keys: [administration],
  backup: [administration],
};

/** The word that says which commands a line needs: `help mcp` needs those of `mcp`, and `help` alone needs all. */
export function firstWord([first, second]: readonly string[]): string | undefined {
  return first === 'help' ? (second ?? 'help') : first;
}

/** Adds the commands below a first word; undefined: only the whole program knows. */
export async function commandsOf(word: string | undefined): Promise<AddCommands | undefined> {
  // Only the version, or the short help without any word.
  if (word === '--version' || word === undefined) return () => {};
  if (word === 'up') return (await import('./up.ts')).addUpCommand;
  if (word === 'stop') return (await import('./stop-command.ts')).addStopCommand;
  if (word === 'stdio') return (await import('./stdio.ts')).addStdioCommand;
  if (word === 'completion') return (await import('./main.ts')).addEveryCommand;
  if (word === 'demo') return (await import('./demo/demo-command.ts')).addDemoCommand;
  if (word === 'console') return (await import('./console-command.ts')).addConsoleCommand;
  const rooms = word !== undefined && Object.hasOwn(COMMAND_ROOMS, word) ? COMMAND_ROOMS[word] : undefined;
  if (!rooms) return undefined;
  const wirings = await Promise.all(rooms.map((load) => load()));
  return (program, terminal) => {
    for (const wiring of wirings) wiring.addCommands(program, terminal);
  };
}
