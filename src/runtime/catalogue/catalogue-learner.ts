import type { Log } from '../../contract/ports.ts';
import type { ServerStatus } from '../../host/connection/supervision/server-status.ts';
import type { ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import type { GatewayRuntime } from '../gateway-runtime.ts';
import { UP_LIMITS } from '../limits.ts';
import { AskedProbe } from './asked-probe.ts';
import { BatchedWork } from './batched-work.ts';
import { FirstDiscoveries } from './first-discoveries.ts';
import { ConflictLog } from './name-conflicts.ts';

type Learning = Pick<
  GatewayRuntime,
  'offers' | 'host' | 'registry' | 'catalogue' | 'config' | 'realms' | 'effective' | 'placeOf' | 'feed'
>;

/** Keeps what servers say of themselves, whenever they say it anew. */
export class CatalogueLearner {
  readonly #runtime: Learning;
  readonly #record: (change: ChangedDefinition) => Promise<void>;
  readonly #log: Log;
  readonly #probe: AskedProbe;
  readonly #discoveries: FirstDiscoveries;
  readonly #conflicts: ConflictLog;
  /** Digests, tokens and a commit: what many servers say at once must not hold up the calls. */
  readonly #keeping: BatchedWork;
  /** Servers of which something could not be kept. */
  readonly #unkept = new Set<string>();

  constructor(runtime: Learning, record: (change: ChangedDefinition) => Promise<void>, log: Log) {
    this.#runtime = runtime;
    this.#record = record;
    this.#log = log;
    this.#discoveries = new FirstDiscoveries(runtime);
    this.#conflicts = new ConflictLog(runtime, log);
    const { host, registry, catalogue, feed } = runtime;
    this.#keeping = new BatchedWork((work) => registry.together(work), UP_LIMITS.learnServersAtOnce);
    this.#probe = new AskedProbe({
      host,
      catalogue,
      sharing: (server) => this.#entry(server)?.sharing ?? 'auto',
      log,
      onFound: () => feed.changed(),
    });
  }

  /** Listens to what servers say. */
  begin(): void {
    const { host, catalogue } = this.#runtime;
    host.on('catalogue', (id: string) => void this.#learn(id));
    host.on('status', ({ id, state }: ServerStatus) => {
      if (state === 'error' || state === 'auth_required') catalogue.miss(id);
    });
    this.#conflicts.lookSoon();
  }

  /** Resolves when it is known what servers show to clients that can be asked; undefined: it is. */
  get looking(): Promise<void> | undefined {
    return this.#probe.looking;
  }

  /** Tries again to keep what could not be kept. Servers that are gone say it themselves when they come back. */
  keepAgain(): void {
    for (const id of [...this.#unkept]) {
      this.#unkept.delete(id);
      if (this.#runtime.host.liveOf(id)) void this.#learn(id);
    }
  }

  end(): void {
    this.#conflicts.end();
    this.#probe.end();
  }

  async #learn(id: string): Promise<void> {
    const { host, catalogue, feed } = this.#runtime;
    try {
      const upstream = await host.connection(id);
      const changes = await this.#keeping.do(() => {
        const place = this.#runtime.placeOf(id);
        // It may have been removed meanwhile.
        return place ? catalogue.learn(id, upstream, host.catalogueOf(id) as never, place) : [];
      });
      for (const change of changes) await this.#record(change);
      feed.changed();
      this.#conflicts.lookSoon();
      // Whoever waits for the first complete list waits for nobody else.
      if (this.#keeping.isIdle && !this.#discoveries.areUnderWay()) feed.tellNow();
      this.#probe.look(id, upstream);
    } catch (error) {
      this.#unkept.add(id);
      this.#log.warn('a catalogue could not be kept', { server: id, error });
    }
  }

  #entry(server: string) {
    return this.#runtime.effective(server)?.configured.entry;
  }
}
