import type { CancelSignal } from '../../contract/cancellation.ts';
import type { GatewayRuntime } from '../gateway-runtime.ts';
import { UP_LIMITS } from '../limits.ts';

type KnownServers = Pick<GatewayRuntime, 'config' | 'realms' | 'catalogue'>;

/**
 * Resolves when none of these servers is being connected for the first time, when it took too long, or when the signal ends. Without
 * names: none of all, for which nobody waits long.
 */
export async function firstDiscoveries(
  runtime: KnownServers & Pick<GatewayRuntime, 'host' | 'feed'>,
  signal?: CancelSignal,
  servers?: readonly string[],
): Promise<void> {
  const { host, feed } = runtime;
  const discoveries = new FirstDiscoveries(runtime, servers);
  if (!discoveries.areUnderWay()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (!discoveries.areUnderWay()) resolve();
  };
  const stop = () => resolve();
  const timer = setTimeout(stop, servers ? UP_LIMITS.firstCallWaitMs : UP_LIMITS.firstDiscoveryWaitMs).unref();
  host.on('status', look);
  feed.on('changed', look);
  signal?.addEventListener('abort', stop, { once: true });
  await promise;
  clearTimeout(timer);
  host.off('status', look);
  feed.off('changed', look);
  signal?.removeEventListener('abort', stop);
}

/** Whether servers are being connected for the first time. */
export class FirstDiscoveries {
  readonly #runtime: KnownServers & Pick<GatewayRuntime, 'host'>;
  /** Undefined: all. */
  readonly #servers: readonly string[] | undefined;
  #awaited: string | undefined;

  constructor(runtime: KnownServers & Pick<GatewayRuntime, 'host'>, servers?: readonly string[]) {
    this.#runtime = runtime;
    this.#servers = servers;
  }

  /** Each time one server is looked at, the one that probably comes last: who asks may do so for each of thousands. */
  areUnderWay(): boolean {
    if (this.#awaited === undefined || !this.#isUnderWay(this.#awaited))
      this.#awaited = (this.#servers ?? undiscovered(this.#runtime)).findLast((id) => this.#isUnderWay(id));
    return this.#awaited !== undefined;
  }

  /** One that is ready and unknown has just been connected: its lists are on the way. */
  #isUnderWay(id: string): boolean {
    const { host, catalogue } = this.#runtime;
    return catalogue.offer(id) === undefined && /^(connecting|ready)$/.test(host.statusOf(id)?.state ?? '');
  }
}

/** Servers of which nothing is known yet, and that everybody shares. */
export function undiscovered({ config, realms, catalogue }: KnownServers): string[] {
  return config.servers.flatMap(({ configured: { id }, spec }) =>
    spec === undefined || realms.isPerUser(id) || catalogue.offer(id) ? [] : [id],
  );
}
