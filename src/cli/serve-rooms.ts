import { directories } from './directories.ts';
import { bindWiring } from './rooms/bind.ts';
import { readCivicConfig } from './rooms/civic-config.ts';
import { contextWiring } from './rooms/context.ts';
import type { ServedRoom, UpSettings, Wiring } from './wiring.ts';

/** The rooms that have something to serve with these settings, in the order in which people meet them. */
export async function serveRooms(settings: UpSettings): Promise<ServedRoom[]> {
  const served: ServedRoom[] = [];
  try {
    for (const wiring of await servingWirings(settings)) {
      const room = await wiring.serve?.(settings);
      if (room) served.push(room);
    }
    return served;
  } catch (thrown) {
    for (const room of served) await room.close();
    throw thrown;
  }
}

/** A corpus is rare and its room is large: it loads only where there is one. */
async function servingWirings({ flags }: UpSettings): Promise<Wiring[]> {
  const hasCorpus =
    flags.corpus !== undefined || readCivicConfig(directories(process.env).configFile).corpus !== undefined;
  const civic = hasCorpus ? [(await import('./rooms/civic.ts')).civicWiring] : [];
  return [contextWiring, bindWiring, ...civic];
}
