import { once } from 'node:events';
import type { Host } from '../../host/host.ts';
import type { ChangeFeed } from '../../proxy/change-feed.ts';
import { UP_LIMITS } from '../limits.ts';
import type { GatewayRuntime } from './gateway-runtime.ts';

/** Resolves when no server is being connected for the first time, or when it took too long. */
export async function firstDiscoveries(
  host: Host,
  feed: ChangeFeed,
  undiscovered: () => readonly string[],
): Promise<void> {
  const signal = AbortSignal.timeout(UP_LIMITS.firstDiscoveryWaitMs);
  while (!signal.aborted && isDiscovering(host, undiscovered())) {
    const settled = new AbortController();
    const either = { signal: AbortSignal.any([signal, settled.signal]) };
    await Promise.race([once(feed, 'changed', either), once(host, 'status', either)]).catch(() => {
      // The time is up.
    });
    settled.abort();
  }
}

/** Whether any of these servers is being connected. One that is ready and unknown has just been: its lists are on the way. */
export function isDiscovering(host: Pick<Host, 'statusOf'>, undiscovered: readonly string[]): boolean {
  return undiscovered.some((id) => /^(connecting|ready)$/.test(host.statusOf(id)?.state ?? ''));
}

/** Servers of which nothing is known yet, and that everybody shares. */
export function undiscovered({
  config,
  realms,
  catalogue,
}: Pick<GatewayRuntime, 'config' | 'realms' | 'catalogue'>): string[] {
  return config.servers.flatMap(({ configured: { id }, spec }) =>
    spec === undefined || realms.isPerUser(id) || catalogue.offer(id) ? [] : [id],
  );
}
