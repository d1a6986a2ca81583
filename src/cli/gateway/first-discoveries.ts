import { once } from 'node:events';
import type { Host } from '../../host/host.ts';
import type { ChangeFeed } from '../../proxy/change-feed.ts';
import type { GatewayRuntime } from './gateway-runtime.ts';

/** How long a search waits for servers that nobody has seen yet. */
const WAIT_MS = 1_000;

/** Resolves when no server is being connected for the first time, or when it took too long. */
export async function firstDiscoveries(
  host: Host,
  feed: ChangeFeed,
  undiscovered: () => readonly string[],
): Promise<void> {
  const signal = AbortSignal.timeout(WAIT_MS);
  // A server that is ready and unknown has just been connected: its lists are on the way.
  const isUnderWay = () => undiscovered().some((id) => /^(connecting|ready)$/.test(host.statusOf(id)?.state ?? ''));
  while (!signal.aborted && isUnderWay()) {
    const settled = new AbortController();
    const either = { signal: AbortSignal.any([signal, settled.signal]) };
    await Promise.race([once(feed, 'changed', either), once(host, 'status', either)]).catch(() => {
      // The time is up.
    });
    settled.abort();
  }
}

/** Servers that may be connected and that nobody has seen yet. */
export function undiscoveredServers({
  config,
  realms,
  catalogue,
}: Pick<GatewayRuntime, 'config' | 'realms' | 'catalogue'>): string[] {
  return config.servers.flatMap(({ configured: { id }, spec }) =>
    spec === undefined || realms.isPerUser(id) || catalogue.offer(id) ? [] : [id],
  );
}
