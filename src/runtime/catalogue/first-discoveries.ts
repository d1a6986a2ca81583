import type { EventEmitter } from 'node:events';
import type { CancelSignal } from '../../contract/cancellation.ts';
import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import { UP_LIMITS } from '../limits.ts';

/** Servers, the state of their connections, and their known tools. */
export interface DiscoveredServers {
  readonly host: { statusOf(id: string): { readonly state: string } | undefined };
  readonly catalogue: { offer(id: string): object | undefined };
  readonly servers: { undiscovered(): string[] };
}

/** The same, with events for changes. */
export interface ChangingServers extends DiscoveredServers {
  readonly host: DiscoveredServers['host'] & EventEmitter;
  readonly feed: ChangeFeed;
}

/**
 * Resolves when none of these servers is connecting for the first time, after a timeout, or when the signal is aborted. Without names
 * it considers all servers, with a short timeout.
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

/** Pending probes for tools that only some clients see. */
export interface PendingProbes {
  /** The servers with a pending probe. */
  unprobed(): string[];
  untilProbed(servers: readonly string[]): Promise<void>;
}

/** Resolves when these servers have been probed, after the timeout, or when the signal is aborted. Without names: all of them. */
export async function firstProbes(
  probes: PendingProbes,
  signal: CancelSignal,
  servers?: readonly string[],
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  const timer = setTimeout(stop, servers ? UP_LIMITS.firstCallWaitMs : UP_LIMITS.firstProbeWaitMs).unref();
  signal.addEventListener('abort', stop, { once: true });
  void probes.untilProbed(servers ?? probes.unprobed()).then(stop);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
}

/** Whether servers are connecting for the first time. */
export class FirstDiscoveries {
  readonly #discovered: DiscoveredServers;
  /** Undefined: all. */
  readonly #servers: readonly string[] | undefined;
  #awaited: string | undefined;

  constructor(discovered: DiscoveredServers, servers?: readonly string[]) {
    this.#discovered = discovered;
    this.#servers = servers;
  }

  /** Checks one server per call, probably the last to finish: callers may ask once per server, for thousands of servers. */
  areUnderWay(): boolean {
    if (this.#awaited === undefined || !this.#isUnderWay(this.#awaited))
      this.#awaited = (this.#servers ?? this.#discovered.servers.undiscovered()).findLast((id) => this.#isUnderWay(id));
    return this.#awaited !== undefined;
  }

  /** A server that is ready but unknown has just connected: its lists are being read. */
  #isUnderWay(id: string): boolean {
    const { host, catalogue } = this.#discovered;
    return catalogue.offer(id) === undefined && /^(connecting|ready)$/.test(host.statusOf(id)?.state ?? '');
  }
}
