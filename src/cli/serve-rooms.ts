import type { ServedRoom, UpSettings } from '../runtime/up-settings.ts';
import { readBindConfig, servedZones } from './rooms/bind-config.ts';
import { readCivicConfig } from './rooms/civic-config.ts';
import { contextWiring } from './rooms/context.ts';
import type { Wiring } from './wiring.ts';

/** The rooms with something to serve, in the order in which people meet them. */
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

/** Loads a room only if it has something to serve. Its documents may change while it runs. */
async function servingWirings(settings: UpSettings): Promise<Wiring[]> {
  const { flags, configFile } = settings;
  const hasZones = servedZones(settings, readBindConfig(configFile)) !== undefined;
  const hasCorpus = flags.corpus !== undefined || readCivicConfig(configFile).corpus !== undefined;
  return [
    contextWiring,
    ...(hasZones ? [(await import('./rooms/bind.ts')).bindWiring] : []),
    ...(hasCorpus ? [(await import('./rooms/civic.ts')).civicWiring] : []),
  ];
}
