import type { Log } from '../../contract/ports.ts';
import type { Host } from '../../host/host.ts';
import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import type { ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import { UP_LIMITS } from '../limits.ts';
import { AskedProbe, type AskedProbeOptions } from './asked-probe.ts';
import { BatchedWork, type Together } from './batched-work.ts';
import { FirstDiscoveries } from './first-discoveries.ts';
import { ConflictLog } from './name-conflicts.ts';
import { prepareTools } from './prepare-tools.ts';
import type { ServedServers } from './served-servers.ts';
import type { ServerCatalogue } from './server-catalogue.ts';

export interface CatalogueUpdaterOptions {
  readonly host: Host;
  /** Runs work as one transaction. */
  readonly together: Together;
  readonly catalogue: ServerCatalogue;
  readonly servers: ServedServers;
  readonly sharing: AskedProbeOptions['sharing'];
  readonly feed: ChangeFeed;
  /** Records a definition that is not the accepted one. */
  record(change: ChangedDefinition): Promise<void>;
  readonly log: Log;
}

/** Stores the lists of servers whenever they change. */
export class CatalogueUpdater {
  readonly #options: CatalogueUpdaterOptions;
  readonly #probe: AskedProbe;
  readonly #discoveries: FirstDiscoveries;
  readonly #conflicts: ConflictLog;
  /** Batched, because digests, token counts and commits of many servers at once would block calls. */
  readonly #batches: BatchedWork;
  /** Servers whose lists could not be stored. */
  readonly #failed = new Set<string>();

  constructor(options: CatalogueUpdaterOptions) {
    const { host, together, catalogue, servers, sharing, feed, log } = options;
    this.#options = options;
    this.#discoveries = new FirstDiscoveries(options);
    this.#conflicts = new ConflictLog(servers, log);
    this.#batches = new BatchedWork(together, UP_LIMITS.learnServersAtOnce);
    this.#probe = new AskedProbe({ host, catalogue, sharing, log, onFound: () => feed.changed() });
  }

  /** Subscribes to changes of servers. */
  begin(): void {
    const { host, catalogue } = this.#options;
    host.on('catalogue', (id: string) => void this.#learn(id));
    host.on('status', ({ id, state }: { id: string; state: string }) => {
      if (state === 'error' || state === 'auth_required') catalogue.failDiscovery(id);
    });
    this.#conflicts.lookSoon();
  }

  /** Servers that still have to be probed for tools for clients that can be asked. */
  unprobed(): string[] {
    return this.#probe.unprobed();
  }

  /** Resolves when these servers have been probed. */
  untilProbed(servers: readonly string[]): Promise<void> {
    return this.#probe.untilProbed(servers);
  }

  /**
   * Retries failed writes, and stores again what another node deleted while a server stayed connected here. Disconnected servers are
   * stored when they reconnect.
   */
  retryFailed(): void {
    const { host, servers } = this.#options;
    const forgotten = servers.undiscovered();
    for (const id of new Set([...this.#failed, ...forgotten])) {
      this.#failed.delete(id);
      if (host.liveOf(id)) void this.#learn(id);
    }
  }

  end(): void {
    this.#conflicts.end();
    this.#probe.end();
  }

  async #learn(id: string): Promise<void> {
    const { host, catalogue, feed, record, log } = this.#options;
    try {
      const upstream = await host.connection(id);
      await prepareTools(host.catalogueOf(id).tools);
      const changes = await this.#batches.do(() => catalogue.learn(id, upstream, host.catalogueOf(id) as never));
      for (const change of changes) await record(change);
      feed.changed();
      this.#conflicts.lookSoon();
      // Do not let waiters for the first complete list wait for the throttle.
      if (this.#batches.isIdle && !this.#discoveries.areUnderWay()) feed.notifyNow();
      this.#probe.enqueue(id, upstream);
    } catch (error) {
      this.#failed.add(id);
      log.warn('a catalogue could not be stored', { server: id, error });
    }
  }
}
