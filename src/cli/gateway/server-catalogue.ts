import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { publicCatalogue } from '../../gateway/catalogue/public-catalogue.ts';
import { offeredTools, type RawCatalogue, type ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import type { Upstream } from '../../host/connection/upstream.ts';
import type { AcceptedDefinitions, ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import type { RegistryStore } from '../../store/registry/registry-store.ts';

/** What servers offer: remembered in the registry, held in memory, with a version that changes when any of it does. */
export class ServerCatalogue {
  readonly definitions: AcceptedDefinitions;
  readonly #registry: RegistryStore;
  readonly #offers: Map<string, ServerOffer>;
  readonly #tokens = new Map<string, number>();
  #version = 1;

  constructor(registry: RegistryStore, definitions: AcceptedDefinitions) {
    this.definitions = definitions;
    this.#registry = registry;
    this.#offers = registry.offers();
  }

  get version(): number {
    return this.#version;
  }

  /** The offers of these servers, in their order; a server that was never seen has none. */
  offersOf(servers: Iterable<string>): ServerOffer[] {
    return [...servers].flatMap((server) => this.#offers.get(server) ?? []);
  }

  offer(server: string): ServerOffer | undefined {
    return this.#offers.get(server);
  }

  /** Takes what a server offers now; gives the tools whose definitions are not the accepted ones. */
  learn(
    server: string,
    upstream: Upstream,
    catalogue: RawCatalogue,
    row: { endpoint: string; pinned: boolean },
  ): ChangedDefinition[] {
    const offer = this.#remember(server, upstream, catalogue, row, undefined);
    this.put(offer);
    return this.definitions.learn(offer);
  }

  /** Takes what a server offers one user; nobody else sees it. */
  learnPrivate(
    owner: string,
    server: string,
    upstream: Upstream,
    catalogue: RawCatalogue,
    row: { endpoint: string; pinned: boolean },
  ): ServerOffer {
    return this.#remember(server, upstream, catalogue, row, owner);
  }

  /** What a user was offered when the servers were last seen. */
  privateOffers(owner: string): Map<string, ServerOffer> {
    return this.#registry.privateOffers(owner);
  }

  #remember(
    server: string,
    upstream: Upstream,
    catalogue: RawCatalogue,
    row: { endpoint: string; pinned: boolean },
    owner: string | undefined,
  ): ServerOffer {
    const accepted = this.#registry.acceptedDigests(server, owner);
    const offer: ServerOffer = {
      server,
      ...(owner === undefined ? {} : { owner }),
      era: upstream.era,
      protocolVersion: upstream.protocolVersion,
      serverInfo: upstream.serverInfo ?? null,
      capabilities: upstream.capabilities,
      instructions: upstream.instructions ?? null,
      tools: offeredTools(catalogue.tools, { pinned: row.pinned, accepted }),
      resources: catalogue.resources,
      resourceTemplates: catalogue.resourceTemplates,
      prompts: catalogue.prompts,
    };
    const tools = [...publicCatalogue([offer], 'qualified').tools.values()].map((tool) => ({
      ...tool,
      tokens: this.tokensOf(tool.json),
    }));
    this.#registry.saveOffer(
      { name: server, endpoint: row.endpoint, transport: upstream.transport, status: 'running' },
      offer,
      tools,
    );
    return offer;
  }

  /** Puts an offer that needs no remembering (a built-in server's). */
  put(offer: ServerOffer): void {
    this.#offers.set(offer.server, offer);
    this.touch();
  }

  /** Something that lists depend on has changed. */
  touch(): void {
    this.#version += 1;
  }

  /** Tokens of a definition as a client receives it; counted once. */
  tokensOf(json: string): number {
    const known = this.#tokens.get(json);
    if (known !== undefined) return known;
    const tokens = countTokens(json);
    this.#tokens.set(json, tokens);
    return tokens;
  }

  accept(server: string, tool: string, sha256: string): boolean {
    if (!this.#registry.acceptDefinition(server, tool, sha256)) return false;
    const offer = this.#offers.get(server);
    if (offer) {
      const accepted = offer.tools.find(({ definition }) => definition.name === tool);
      if (accepted) this.definitions.accept(server, accepted);
      const tools = offer.tools.map((item) =>
        item.definition.name === tool ? { ...item, status: 'active' as const } : item,
      );
      this.put({ ...offer, tools });
    }
    return true;
  }
}
