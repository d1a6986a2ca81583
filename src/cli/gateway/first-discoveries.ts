import { UP_LIMITS } from '../limits.ts';
import type { GatewayRuntime } from './gateway-runtime.ts';

type KnownServers = Pick<GatewayRuntime, 'config' | 'realms' | 'catalogue'>;

/** Resolves when no server is being connected for the first time, or when it took too long. */
export async function firstDiscoveries(runtime: KnownServers & Pick<GatewayRuntime, 'host' | 'feed'>): Promise<void> {
  const { host, feed, catalogue } = runtime;
  const isUnderWay = (id: string) => catalogue.offer(id) === undefined && isDiscovering(host, [id]);
  // Each change asks for one server only, the one that probably comes last: there may be thousands of both.
  const next = () => undiscovered(runtime).findLast(isUnderWay);
  let awaited = next();
  if (awaited === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (awaited !== undefined && isUnderWay(awaited)) return;
    awaited = next();
    if (awaited === undefined) resolve();
  };
  const timer = setTimeout(resolve, UP_LIMITS.firstDiscoveryWaitMs).unref();
  host.on('status', look);
  feed.on('changed', look);
  await promise;
  clearTimeout(timer);
  host.off('status', look);
  feed.off('changed', look);
}

/** Whether any of these servers is being connected. One that is ready and unknown has just been: its lists are on the way. */
export function isDiscovering(
  host: Pick<GatewayRuntime['host'], 'statusOf'>,
  undiscovered: readonly string[],
): boolean {
  return undiscovered.some((id) => /^(connecting|ready)$/.test(host.statusOf(id)?.state ?? ''));
}

/** Servers of which nothing is known yet, and that everybody shares. */
export function undiscovered({ config, realms, catalogue }: KnownServers): string[] {
  return config.servers.flatMap(({ configured: { id }, spec }) =>
    spec === undefined || realms.isPerUser(id) || catalogue.offer(id) ? [] : [id],
  );
}
