import { setTimeout as sleep } from 'node:timers/promises';
import { http, type World } from '../../../../test/fixtures/connect.ts';
import type { NotificationMessage } from '../../../contract/json.ts';
import { createMemoryLog } from '../../../contract/testing/memory-log.ts';
import type { Catalogue, CatalogueChange } from '../catalogue/catalogue.ts';
import { Semaphore } from '../pool/semaphore.ts';
import { NO_NAMES } from '../supervision/named-endpoint.ts';
import type { HttpSpec, ServerStatus } from '../supervision/server-set.ts';
import { SupervisedServer, type SupervisorPorts } from '../supervision/supervised-server.ts';

/** A supervised server, and a record of its callbacks. */
export function supervise(
  world: World,
  spec: Partial<HttpSpec> & { readonly url?: string },
  more: Partial<SupervisorPorts> = {},
  resting?: Catalogue,
) {
  const clock = { now: 1_000_000 };
  const log = createMemoryLog();
  const seen = {
    statuses: [] as ServerStatus[],
    changes: [] as CatalogueChange[],
    notifications: [] as NotificationMessage[],
    moved: [] as string[],
    turns: 0,
  };
  const server = new SupervisedServer(
    http(spec.url ?? '', spec),
    {
      ...world.ports(),
      slots: new Semaphore(4),
      retries: {
        turn: async () => {
          seen.turns += 1;
        },
      } as never,
      names: NO_NAMES,
      log,
      now: () => clock.now,
      random: () => 0.5,
      probe: { intervalMs: 600_000, timeoutMs: 1_000 },
      healthOf: (_spec, own) => own,
      onStatus: (status) => seen.statuses.push(status),
      onMoved: (id) => seen.moved.push(id),
      onCatalogue: (_id, change) => seen.changes.push(change),
      onNotification: (_id, notification) => seen.notifications.push(notification),
      ...more,
    },
    resting,
  );
  world.keep({ close: () => server.stop(0, AbortSignal.abort()) });
  /** `state: reason` of each status since the last call. */
  const told = () =>
    seen.statuses.splice(0).map(({ state, reason }) => (reason === undefined ? state : `${state}: ${reason}`));
  return { server, seen, log, clock, told };
}

/** Waits up to ten seconds until a condition holds. */
export async function soon(holds: () => boolean): Promise<void> {
  for (let count = 0; count < 1_000 && !holds(); count += 1) await sleep(10);
  if (!holds()) throw new Error('it never came to that');
}
