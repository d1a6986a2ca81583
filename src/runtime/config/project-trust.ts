import { join } from 'node:path';
import { LIMITS } from '../../contract/limits.ts';
import type { Log } from '../../contract/ports.ts';
import type { ConfiguredServer } from '../../host/config/configured-servers.ts';
import { shownEntry } from '../../host/trust/shown-entry.ts';
import { isTrusted, type TrustEntry, TrustStore, untrustedReason } from '../../host/trust/trust-store.ts';

export interface ProjectTrustOptions {
  readonly configDir: string;
  readonly projectDir: string;
  /** Every server of the project may start. */
  readonly trustProject: boolean;
  readonly log: Log;
}

/** Decides which servers of the project may start, and logs those that may not. */
export class ProjectTrust {
  readonly file: string;
  readonly #options: ProjectTrustOptions;
  readonly #store: TrustStore;
  #trusted: readonly TrustEntry[] = [];
  #told: ReadonlyMap<string, string> = new Map();

  constructor(options: ProjectTrustOptions) {
    this.#options = options;
    this.file = join(options.configDir, 'trust.json');
    this.#store = new TrustStore(this.file, options.projectDir, { now: Date.now });
  }

  /** Reads the trusted definitions. Returns a function that tells whether a server may start. */
  async read(): Promise<(server: ConfiguredServer) => boolean> {
    const trusted = await this.#store.list();
    this.#trusted = trusted;
    return (server) => this.#options.trustProject || isTrusted(server, trusted);
  }

  /** Trusts the current definition of a project's server. */
  async trust(server: ConfiguredServer): Promise<void> {
    if (server.source === 'project') await this.#store.trust([server]);
  }

  /** Logs each untrusted definition once: what waits for a person, and everything that it would run or send. */
  logUntrusted(waiting: readonly ConfiguredServer[]): void {
    const { log } = this.#options;
    const told = new Map(waiting.map((server) => [server.id, shownEntry(server)]));
    const untold = waiting.filter(({ id }) => this.#told.get(id) !== told.get(id));
    if (untold.length > LIMITS.untrustedToldMax)
      log.warn(`${untold.length} servers of the project are not started`, {
        servers: untold.slice(0, LIMITS.untrustedToldMax).map(({ id }) => id),
        reason: 'untrusted: the project defines them; look at them with `bindery mcp trust --list`',
      });
    else
      for (const server of untold) {
        const launch = told.get(server.id);
        const reason = untrustedReason(server, this.#trusted);
        log.warn('a server of the project is not started', { server: server.id, reason, launch });
      }
    this.#told = told;
  }
}
