import type { EventEmitter } from 'node:events';
import type { CancelSignal } from '../../contract/cancellation.ts';
import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import { UP_LIMITS } from '../limits.ts';

/** Servers, how their connections are, and whether their tools are known. */
export interface DiscoveredServers {
  readonly host: { statusOf(id: string): { readonly state: string } | undefined };
  readonly catalogue: { offer(id: string): object | undefined };
  readonly servers: { undiscovered(): string[] };
}

/** The same, with an event for each change. */
export interface ChangingServers extends DiscoveredServers {
  readonly host: DiscoveredServers['host'] & EventEmitter;
  readonly feed: ChangeFeed;
}

/**
 * Resolves when none of these servers is being connected for the first time, when it took too long, or when the signal ends. Without
 * names: none of all, for which nobody waits long.
 */
export async function firstDiscoveries(
  changing: ChangingServers,
  signal?: CancelSignal,
  servers?: readonly string[],
): Promise<void> {
  const { host, feed } = changing;
  const discoveries = new FirstDiscoveries(changing, servers);
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

/** What is still to be found out about tools that only some clients see. */
export interface Looks {
  /** The servers that it concerns. */
  looking(): string[];
  untilLooked(servers: readonly string[]): Promise<void>;
}

/** Resolves when these servers have been probed, after the timeout, or when the signal ends. Without names: all of them. */
export async function firstLooks(looks: Looks, signal: CancelSignal, servers?: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  const timer = setTimeout(stop, servers ? UP_LIMITS.firstCallWaitMs : UP_LIMITS.firstLookWaitMs).unref();
  signal.addEventListener('abort', stop, { once: true });
  void looks.untilLooked(servers ?? looks.looking()).then(stop);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
}

/** Whether servers are being connected for the first time. */
export class FirstDiscoveries {
  readonly #discovered: DiscoveredServers;
  /** Undefined: all. */
  readonly #servers: readonly string[] | undefined;
  #awaited: string | undefined;

  constructor(discovered: DiscoveredServers, servers?: readonly string[]) {
    this.#discovered = discovered;
    this.#servers = servers;
  }

  /** Each time one server is looked at, the one that probably comes last: who asks may do so for each of thousands. */
  areUnderWay(): boolean {
    if (this.#awaited === undefined || !this.#isUnderWay(this.#awaited))
      this.#awaited = (this.#servers ?? this.#discovered.servers.undiscovered()).findLast((id) => this.#isUnderWay(id));
    return this.#awaited !== undefined;
  }

  /** One that is ready and unknown has just been connected: its lists are on the way. */
  #isUnderWay(id: string): boolean {
    const { host, catalogue } = this.#discovered;
    return catalogue.offer(id) === undefined && /^(connecting|ready)$/.test(host.statusOf(id)?.state ?? '');
  }
}
