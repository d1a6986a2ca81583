import type { Log } from '../../contract/ports.ts';
import { findAskedTools, isProbed, plainTools } from '../../gateway/catalogue/asked-tools.ts';
import type { AskedCapability, RawTool } from '../../gateway/catalogue/tool-definition.ts';
import { CLIENT_INFO } from '../../host/client-info.ts';
import { EMPTY_CATALOGUE } from '../../host/connection/catalogue/catalogue.ts';
import { listCatalogue } from '../../host/connection/catalogue/list-catalogue.ts';
import type { Sharing } from '../../host/connection/pool/client-connections.ts';
import type { Host } from '../../host/host.ts';
import type { Upstream } from '../../wire/upstream.ts';
import { fillOffer, preparedAsked, usableTools } from './prepare-tools.ts';
import type { ServerCatalogue } from './server-catalogue.ts';

export interface AskedProbeOptions {
  readonly host: Host;
  readonly catalogue: ServerCatalogue;
  sharing(server: string): Sharing;
  readonly log: Log;
  onFound(): void;
}

interface Probe {
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
  readonly #probes: Probe[] = [];
  #running: Probe | undefined;
  #ended = false;

  constructor(options: AskedProbeOptions) {
    this.#options = options;
  }

  /** Queues a server that the shared connection has listed. */
  enqueue(server: string, shared: Upstream): void {
    const { catalogue, sharing } = this.#options;
    if (!canDiffer(shared) || sharing(server) === 'shared' || isProbed(catalogue.offer(server))) return;
    // A running probe may have seen old lists, so the server is queued again.
    if (this.#probes.some((probe) => probe.server === server && probe !== this.#running)) return;
    this.#probes.push({ server, done: Promise.withResolvers(), isAwaited: false });
    if (!this.#running) void this.#run();
  }

  /** The servers that still have to be probed. */
  unprobed(): string[] {
    return this.#probes.map(({ server }) => server);
  }

  /** Resolves when these servers have been probed; they go to the front of the queue. */
  async untilProbed(servers: readonly string[]): Promise<void> {
    const probes = this.#probes.filter(({ server }) => servers.includes(server));
    for (const probe of probes) probe.isAwaited = true;
    await Promise.all(probes.map(({ done }) => done.promise));
  }

  end(): void {
    this.#ended = true;
  }

  async #run(): Promise<void> {
    for (;;) {
      const next = this.#probes.find(({ isAwaited }) => isAwaited) ?? this.#probes[0];
      this.#running = next;
      if (!next) return;
      await this.#probe(next);
      this.#probes.splice(this.#probes.indexOf(next), 1);
      next.done.resolve();
    }
  }

  async #probe(probe: Probe): Promise<void> {
    const { server } = probe;
    const { host, catalogue, log, onFound } = this.#options;
    const offer = catalogue.offer(server);
    if (this.#ended || isProbed(offer)) return;
    // Listing such a server again costs as much memory as its offer may have, and finds nothing that fits.
    if (fillOffer(host.catalogueOf(server).tools)) return;
    try {
      const offered = plainTools(offer).map(({ definition }) => definition.name);
      const plain = new Set([...host.catalogueOf(server).tools.map(({ name }) => name), ...offered]);
      const found = await findAskedTools(plain, (declared) => this.#toolsFor(probe, declared));
      catalogue.learnAsked(server, await preparedAsked(found));
      if (found.length > 0) onFound();
    } catch (error) {
      log.debug('the tools for clients that can answer questions are unknown', { server, error });
    }
  }

  async #toolsFor(probe: Probe, declared: readonly AskedCapability[]): Promise<readonly RawTool[]> {
    const capabilities = Object.fromEntries(declared.map((name) => [name, name === 'elicitation' ? { form: {} } : {}]));
    const client = { info: CLIENT_INFO, callbacks: {}, capabilities };
    const upstream = await this.#options.host.openSession(probe.server, client, {
      isBackground: !probe.isAwaited,
    });
    try {
      const { catalogue } = await listCatalogue(upstream, EMPTY_CATALOGUE, Date.now());
      return usableTools(catalogue.tools);
    } finally {
      await upstream.close();
    }
  }
}

/** Only servers that know their client before its first call can treat clients differently. */
function canDiffer({ era, transport, sessionBound }: Upstream): boolean {
  return era === '2025' && (transport !== 'http' || sessionBound);
}
