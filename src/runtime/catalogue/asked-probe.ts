import type { Log } from '../../contract/ports.ts';
import { findAskedTools } from '../../gateway/catalogue/asked-tools.ts';
import { isTooDeep } from '../../gateway/catalogue/definition-depth.ts';
import type { AskedCapability, RawTool } from '../../gateway/catalogue/tool-definition.ts';
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

/**
 * Finds out which tools servers show only to clients that can be asked something: their shared connection declares nothing,
 * so it never sees them. One server at a time, in the background, once for each list of tools.
 */
export class AskedProbe {
  readonly #options: AskedProbeOptions;
  #queue: Promise<void> | undefined;
  /** A client waits for what is found: processes do not start behind everything else any more. */
  #isAwaited = false;
  #ended = false;

  constructor(options: AskedProbeOptions) {
    this.#options = options;
  }

  /** A server was listed by everyone's connection. */
  look(server: string, shared: Upstream): void {
    const { catalogue, sharing } = this.#options;
    if (!canDiffer(shared) || sharing(server) === 'shared' || catalogue.isProbed(server)) return;
    const queue = (this.#queue ?? Promise.resolve())
      .then(() => this.#probe(server))
      .finally(() => {
        if (this.#queue !== queue) return;
        this.#queue = undefined;
        this.#isAwaited = false;
      });
    this.#queue = queue;
  }

  /** Resolves when every server that waits has been looked at, sooner than it would have been; undefined: none waits. */
  untilLooked(): Promise<void> | undefined {
    this.#isAwaited = this.#queue !== undefined;
    return this.#queue;
  }

  end(): void {
    this.#ended = true;
  }

  async #probe(server: string): Promise<void> {
    const { catalogue, log, onFound } = this.#options;
    if (this.#ended || catalogue.isProbed(server)) return;
    try {
      const found = await findAskedTools(catalogue.plainNames(server), (declared) => this.#toolsFor(server, declared));
      catalogue.learnAsked(server, found);
      if (found.length > 0) onFound();
    } catch (error) {
      log.debug('the tools for clients that can answer questions are unknown', { server, error });
    }
  }

  async #toolsFor(server: string, declared: readonly AskedCapability[]): Promise<readonly RawTool[]> {
    const capabilities = Object.fromEntries(declared.map((name) => [name, name === 'elicitation' ? { form: {} } : {}]));
    const client = { info: CLIENT_INFO, callbacks: {}, capabilities };
    const upstream = await this.#options.host.openSession(server, client, {
      isBackground: !this.#isAwaited,
    });
    try {
      const { catalogue } = await listCatalogue(upstream, EMPTY_CATALOGUE, Date.now());
      return (catalogue.tools as unknown as RawTool[]).filter((tool) => !isTooDeep(tool));
    } finally {
      await upstream.close();
    }
  }
}

/** Only servers that know their client before its first call can make a difference between clients. */
function canDiffer({ era, transport, sessionBound }: Upstream): boolean {
  return era === '2025' && (transport !== 'http' || sessionBound);
}
