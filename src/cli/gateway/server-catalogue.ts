import type { DatabaseSync } from 'node:sqlite';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import { sha256Hex } from '../../gateway/audit/chain.ts';
import type { AskedTool } from '../../gateway/catalogue/asked-tools.ts';
import { lastClaim, renewedClaims } from '../../gateway/catalogue/claims.ts';
import { publicCatalogue } from '../../gateway/catalogue/public-catalogue.ts';
import {
  type OfferedTool,
  offeredTools,
  type RawCatalogue,
  type ServerOffer,
} from '../../gateway/catalogue/server-offer.ts';
import { countTokens } from '../../gateway/search/tokens.ts';
import type { Upstream } from '../../host/connection/upstream.ts';
import { inTransaction } from '../../store/in-transaction.ts';
import { AcceptedDefinitions, type ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import type { RegistryStore } from '../../store/registry/registry-store.ts';
import { TokenCounts } from '../../store/registry/token-counts.ts';
import { ToolCounter } from './tool-counter.ts';

interface ServerRow {
  readonly endpoint: string;
  readonly transport: Upstream['transport'];
  readonly pinned: boolean;
}

/** What servers offer: remembered in the registry, held in memory, with a version that changes when any of it does. */
export class ServerCatalogue {
  readonly definitions: AcceptedDefinitions;
  readonly #registry: RegistryStore;
  readonly #database: DatabaseSync;
  readonly #offers: Map<string, ServerOffer>;
  readonly #counts: TokenCounts;
  readonly #counter: ToolCounter;
  /** Of each server that was listed: how it was reached, and whether its definitions are pinned. */
  readonly #rows = new Map<string, ServerRow>();
  /** Servers that are being discovered for the first time, with the time of their claims: one for all that are configured together. */
  readonly #met = new Map<string, number>();
  readonly #clock: Clock;
  #lastClaim = 0;
  #version = 1;

  constructor(registry: RegistryStore, database: DatabaseSync, log: Log, clock: Clock) {
    this.definitions = new AcceptedDefinitions(database);
    this.#registry = registry;
    this.#database = database;
    const report = countsReport(log);
    this.#counts = new TokenCounts(database, countTokens, report);
    this.#counter = new ToolCounter(registry, this.#counts, report);
    this.#clock = clock;
    this.#offers = registry.offers();
    for (const offer of this.#offers.values()) this.#lastClaim = Math.max(this.#lastClaim, lastClaim(offer));
  }

  /** These servers are about to be connected: those that were never seen get equal claims, in whatever order they answer. */
  meet(servers: Iterable<string>): void {
    const unseen = [...servers].filter((server) => !this.#offers.has(server) && !this.#met.has(server));
    if (unseen.length === 0) return;
    const time = this.#claimTime();
    for (const server of unseen) this.#met.set(server, time);
  }

  /** A server that failed to connect with the others gets newer claims when it comes. */
  miss(server: string): void {
    this.#met.delete(server);
  }

  end(): void {
    this.#counter.end();
  }

  get version(): number {
    return this.#version;
  }

  /** Takes what another process wrote to the registry. */
  reload(): void {
    for (const [server, offer] of this.#registry.offers()) {
      this.#offers.set(server, offer);
      this.#lastClaim = Math.max(this.#lastClaim, lastClaim(offer));
    }
    this.touch();
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
    const before = this.#offers.get(server);
    const fresh = this.#offerOf(server, upstream, catalogue, row, undefined);
    const known = { ...fresh, tools: withAsked(fresh.tools, before?.tools ?? []) };
    const claimed = { ...known, claims: renewedClaims(known, before, this.#met.get(server) ?? this.#claimTime()) };
    const offer = before?.probedFor === undefined ? claimed : { ...claimed, probedFor: before.probedFor };
    this.#rows.set(server, { endpoint: row.endpoint, transport: upstream.transport, pinned: row.pinned });
    const changed = inTransaction(this.#database, () => {
      this.#save(offer);
      return this.definitions.learn(offer);
    });
    this.put(offer);
    this.#met.delete(server);
    return changed;
  }

  /** Whether the tools that only some clients see were looked for since the others last changed. */
  isProbed(server: string): boolean {
    const offer = this.#offers.get(server);
    return offer === undefined || offer.probedFor === plainDigest(offer);
  }

  /** The tools that everyone sees. */
  plainNames(server: string): ReadonlySet<string> {
    return new Set(plainTools(this.#offers.get(server)).map(({ definition }) => definition.name));
  }

  /** Takes the tools that a server shows only to clients that can be asked something. */
  learnAsked(server: string, found: readonly AskedTool[]): void {
    const offer = this.#offers.get(server);
    const row = this.#rows.get(server);
    if (!offer || !row) return;
    const pins = { pinned: row.pinned, accepted: this.#registry.acceptedDigests(server) };
    const asked = offeredTools(
      found.map(({ tool }) => tool),
      pins,
    ).map((tool, index) => ({ ...tool, needs: found[index]?.needs ?? [] }));
    const probed = { ...offer, tools: [...plainTools(offer), ...asked], probedFor: plainDigest(offer) };
    const whole = { ...probed, claims: renewedClaims(probed, offer, this.#claimTime()) };
    this.#save(whole);
    this.put(whole);
  }

  /** Takes what a server offers one user; nobody else sees it. */
  learnPrivate(
    owner: string,
    server: string,
    upstream: Upstream,
    catalogue: RawCatalogue,
    row: { endpoint: string; pinned: boolean },
  ): { readonly offer: ServerOffer; readonly changes: ChangedDefinition[] } {
    const fresh = this.#offerOf(server, upstream, catalogue, row, owner);
    const before = this.#registry.privateOffers(owner).get(server);
    const offer = { ...fresh, claims: renewedClaims(fresh, before, this.#claimTime()) };
    this.#rows.set(server, { endpoint: row.endpoint, transport: upstream.transport, pinned: row.pinned });
    const changes = inTransaction(this.#database, () => {
      this.#save(offer);
      return this.definitions.learn(offer);
    });
    return { offer, changes };
  }

  /** What a user was offered when the servers were last seen. */
  privateOffers(owner: string): Map<string, ServerOffer> {
    return this.#registry.privateOffers(owner);
  }

  /** Later than every claim that is known, also where the clock was set back. */
  #claimTime(): number {
    this.#lastClaim = Math.max(this.#lastClaim + 1, this.#clock.now());
    return this.#lastClaim;
  }

  #offerOf(
    server: string,
    upstream: Upstream,
    catalogue: RawCatalogue,
    row: { endpoint: string; pinned: boolean },
    owner: string | undefined,
  ): ServerOffer {
    const accepted = this.#registry.acceptedDigests(server, owner);
    return {
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
  }

  #save(offer: ServerOffer): void {
    const { server } = offer;
    const { endpoint, transport } = this.#rows.get(server) as ServerRow;
    const tools = [...publicCatalogue([offer], 'qualified').tools.values()].map((tool) => ({
      ...tool,
      tokens: this.#counts.known(tool.json),
    }));
    this.#registry.saveOffer({ name: server, endpoint, transport, status: 'running' }, offer, tools);
    this.#counter.add(
      tools.filter(({ tokens }) => tokens === undefined),
      offer.owner ?? '',
    );
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

  /** Tokens of a definition, or of a whole list of them, as a client receives it; counted once. */
  tokensOf(json: string): number {
    return this.#counts.of(json);
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

function countsReport(log: Log): FailureReport {
  return new FailureReport(log, {
    failing: 'what tools cost in tokens cannot be kept, and is counted anew',
    again: 'what tools cost in tokens is kept again',
  });
}

function plainTools(offer: ServerOffer | undefined): OfferedTool[] {
  return offer?.tools.filter(({ needs }) => needs === undefined) ?? [];
}

/** Until they are looked for again, the tools that only some see stay as they were. */
function withAsked(plain: readonly OfferedTool[], before: readonly OfferedTool[]): OfferedTool[] {
  const names = new Set(plain.map(({ definition }) => definition.name));
  return [...plain, ...before.filter(({ needs, definition }) => needs !== undefined && !names.has(definition.name))];
}

function plainDigest(offer: ServerOffer): string {
  return sha256Hex(
    plainTools(offer)
      .map(({ sha256 }) => sha256)
      .join(),
  );
}
