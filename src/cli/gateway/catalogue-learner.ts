import type { Log } from '../../contract/ports.ts';
import type { ServerEntry } from '../../host/config/server-entry.ts';
import type { Host } from '../../host/host.ts';
import type { ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import { AskedProbe } from './asked-probe.ts';
import type { ServerCatalogue } from './server-catalogue.ts';

export interface CatalogueLearnerOptions {
  readonly host: Host;
  readonly catalogue: ServerCatalogue;
  entry(server: string): ServerEntry | undefined;
  /** Whether every server's definitions are pinned. */
  pinsDefinitions(): boolean;
  endpointOf(server: string): string;
  record(change: ChangedDefinition): Promise<void>;
  onChanged(): void;
  readonly log: Log;
}

/** Keeps what servers say of themselves, whenever they say it anew. */
export class CatalogueLearner {
  readonly #options: CatalogueLearnerOptions;
  readonly #probe: AskedProbe;

  constructor(options: CatalogueLearnerOptions) {
    this.#options = options;
    const { host, catalogue, log, onChanged } = options;
    this.#probe = new AskedProbe({
      host,
      catalogue,
      sharing: (server) => options.entry(server)?.sharing ?? 'auto',
      log,
      onFound: onChanged,
    });
    host.on('catalogue', (id: string) => void this.#learn(id));
  }

  /** Resolves when it is known what servers show to clients that can be asked; undefined: it is. */
  get looking(): Promise<void> | undefined {
    return this.#probe.looking;
  }

  end(): void {
    this.#probe.end();
  }

  async #learn(id: string): Promise<void> {
    const { host, catalogue, log, endpointOf, record, onChanged } = this.#options;
    try {
      const upstream = await host.connection(id);
      const pinned = this.#options.pinsDefinitions() || this.#options.entry(id)?.pin_definitions === true;
      const changes = catalogue.learn(id, upstream, host.catalogueOf(id) as never, {
        endpoint: endpointOf(id),
        pinned,
      });
      for (const change of changes) await record(change);
      onChanged();
      this.#probe.look(id, upstream);
    } catch (error) {
      log.warn('a catalogue could not be kept', { server: id, error });
    }
  }
}
