import type { Log } from '../../contract/ports.ts';
import { findAskedTools, isProbed, plainTools } from '../../gateway/catalogue/asked-tools.ts';
import { isTooDeep } from '../../gateway/catalogue/definition-depth.ts';
import type { AskedCapability, RawTool } from '../../gateway/catalogue/tool-definition.ts';
import { takesObject } from '../../gateway/catalogue/well-formed.ts';
import { CLIENT_INFO } from '../../host/client-info.ts';
import { EMPTY_CATALOGUE } from '../../host/connection/catalogue/catalogue.ts';
import { listCatalogue } from '../../host/connection/catalogue/list-catalogue.ts';
import type { Sharing } from '../../host/connection/pool/client-connections.ts';
import type { Host } from '../../host/host.ts';
import type { Upstream } from '../../wire/upstream.ts';
import type { ServerCatalogue } from './server-catalogue.ts';

export interface AskedProbeOptions {
  readonly host: Host;
  readonly catalogue: ServerCatalogue;
  sharing(server: string): Sharing;
  readonly log: Log;
  onFound(): void;
}

/** A server to probe. */
interface Look {
  readonly server: string;
  readonly done: PromiseWithResolvers<void>;
  /** A client waits for the result: this server comes first, and its processes start without background priority. */
  isAwaited: boolean;
}

/**
 * Finds the tools that servers show only to clients that can be asked something. The shared connection declares no capabilities, so it
 * never sees them. Probes one server at a time in the background, once per list of tools.
 */
export class AskedProbe {
  readonly #options: AskedProbeOptions;
  /** The queue of servers, including the running one. */
  readonly #looks: Look[] = [];
  #running: Look | undefined;
  #ended = false;

  constructor(options: AskedProbeOptions) {
    this.#options = options;
  }

  /** Queues a server that the shared connection has listed. */
  look(server: string, shared: Upstream): void {
    const { catalogue, sharing } = this.#options;
    if (!canDiffer(shared) || sharing(server) === 'shared' || isProbed(catalogue.offer(server))) return;
    // A running probe may have seen old lists, so the server is queued again.
    if (this.#looks.some((look) => look.server === server && look !== this.#running)) return;
    this.#looks.push({ server, done: Promise.withResolvers(), isAwaited: false });
    if (!this.#running) void this.#run();
  }

  /** The servers that still have to be probed. */
  looking(): string[] {
    return this.#looks.map(({ server }) => server);
  }

  /** Resolves when these servers have been probed; they go to the front of the queue. */
  async untilLooked(servers: readonly string[]): Promise<void> {
    const looks = this.#looks.filter(({ server }) => servers.includes(server));
    for (const look of looks) look.isAwaited = true;
    await Promise.all(looks.map(({ done }) => done.promise));
  }

  end(): void {
    this.#ended = true;
  }

  async #run(): Promise<void> {
    for (;;) {
      const next = this.#looks.find(({ isAwaited }) => isAwaited) ?? this.#looks[0];
      this.#running = next;
      if (!next) return;
      await this.#probe(next);
      this.#looks.splice(this.#looks.indexOf(next), 1);
      next.done.resolve();
    }
  }

  async #probe(look: Look): Promise<void> {
    const { server } = look;
    const { catalogue, log, onFound } = this.#options;
    const offer = catalogue.offer(server);
    if (this.#ended || isProbed(offer)) return;
    try {
      const plain = new Set(plainTools(offer).map(({ definition }) => definition.name));
      const found = await findAskedTools(plain, (declared) => this.#toolsFor(look, declared));
      catalogue.learnAsked(server, found);
      if (found.length > 0) onFound();
    } catch (error) {
      log.debug('the tools for clients that can answer questions are unknown', { server, error });
    }
  }

  async #toolsFor(look: Look, declared: readonly AskedCapability[]): Promise<readonly RawTool[]> {
    const capabilities = Object.fromEntries(declared.map((name) => [name, name === 'elicitation' ? { form: {} } : {}]));
    const client = { info: CLIENT_INFO, callbacks: {}, capabilities };
    const upstream = await this.#options.host.openSession(look.server, client, {
      isBackground: !look.isAwaited,
    });
    try {
      const { catalogue } = await listCatalogue(upstream, EMPTY_CATALOGUE, Date.now());
      return (catalogue.tools as unknown as RawTool[]).filter((tool) => !isTooDeep(tool) && takesObject(tool));
    } finally {
      await upstream.close();
    }
  }
}

/** Only servers that know their client before its first call can treat clients differently. */
function canDiffer({ era, transport, sessionBound }: Upstream): boolean {
  return era === '2025' && (transport !== 'http' || sessionBound);
}
