import type { DatabaseSync } from 'node:sqlite';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import { sha256Hex } from '../../gateway/audit/chain.ts';
import type { AskedTool } from '../../gateway/catalogue/asked-tools.ts';
import {
  type BoundedReport,
  boundedCatalogue,
  boundedText,
  TOLD_MAX,
} from '../../gateway/catalogue/bounded-catalogue.ts';
import { lastClaim, renewedClaims } from '../../gateway/catalogue/claims.ts';
import { publicCatalogue } from '../../gateway/catalogue/public-catalogue.ts';
import {
  EXTRAS,
  heldCount,
  identityOf,
  type OfferedTool,
  offeredExtras,
  offeredTools,
  type PinPolicy,
  type RawCatalogue,
  readsOnly,
  repinned,
  type ServerOffer,
} from '../../gateway/catalogue/server-offer.ts';
import type { SeenDefinition } from '../../gateway/operations/deps.ts';
import { countTokens } from '../../gateway/search/words/tokens.ts';
import type { OwnOffer } from '../../proxy/lists/own-lists.ts';
import { inTransaction } from '../../store/in-transaction.ts';
import { acceptForAll } from '../../store/registry/accept-for-all.ts';
import { AcceptedDefinitions, type ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import type { JudgedTool, RegistryStore } from '../../store/registry/registry-store.ts';
import { TokenCounts } from '../../store/registry/token-counts.ts';
import type { Upstream } from '../../wire/upstream.ts';
import { ToolCounter } from './tool-counter.ts';

/** How a server is configured, as far as what it offers depends on it. */
export interface ServerPlace extends Pick<PinPolicy, 'pinned' | 'quarantined'> {
  /** As the registry names it: no arguments, no secrets. */
  readonly endpoint: string;
  /** Which registration of its name it is, where it registered itself. */
  readonly registration?: string | undefined;
}

export interface ServerCatalogueOptions {
  readonly registry: RegistryStore;
  readonly database: DatabaseSync;
  readonly log: Log;
  readonly clock: Clock;
  /** Undefined: no such server is configured. */
  placeOf(server: string): ServerPlace | undefined;
  /** Whether policy has a person asked before a tool is called. */
  asksPerson(tool: JudgedTool): boolean;
}

/** A connection on which a server listed what it has; with an owner where it is one user's. */
interface ListedConnection {
  readonly server: string;
  readonly upstream: Upstream;
  readonly owner: string | undefined;
}

interface ServerRow extends ServerPlace {
  readonly transport: Upstream['transport'];
}

/** What servers offer: remembered in the registry, held in memory, with a version that changes when any of it does. */
export class ServerCatalogue {
  readonly definitions: AcceptedDefinitions;
  readonly #registry: RegistryStore;
  readonly #database: DatabaseSync;
  readonly #offers: Map<string, ServerOffer>;
  readonly #counts: TokenCounts;
  readonly #counter: ToolCounter;
  readonly #asksPerson: (tool: JudgedTool) => boolean;
  /** Of each server that was listed: how it was reached, and which definitions are held. */
  readonly #rows = new Map<string, ServerRow>();
  /** Servers that are being discovered for the first time, with the time of their claims: one for all that are configured together. */
  readonly #met = new Map<string, number>();
  /** Of each server, what of its lists is left out or repaired. */
  readonly #leftOut = new Map<string, string>();
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #placeOf: (server: string) => ServerPlace | undefined;
  #lastClaim = 0;
  #version = 1;

  constructor({ registry, database, log, clock, placeOf, asksPerson }: ServerCatalogueOptions) {
    this.definitions = new AcceptedDefinitions(database);
    this.#registry = registry;
    this.#database = database;
    const report = countsReport(log);
    this.#counts = new TokenCounts(database, countTokens, report);
    this.#counter = new ToolCounter({ registry, counts: this.#counts, report });
    this.#clock = clock;
    this.#log = log;
    this.#offers = registry.offers();
    this.#placeOf = placeOf;
    this.#asksPerson = asksPerson;
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
    const offers = this.#registry.offers();
    for (const server of [...this.#offers.keys()])
      if (!offers.has(server) && this.#placeOf(server)) this.#offers.delete(server);
    for (const [server, offer] of offers) {
      this.#lastClaim = Math.max(this.#lastClaim, lastClaim(offer));
      if (!this.#isFrom(offer)) continue;
      this.#useAccepted(offer);
      this.#offers.set(server, this.#judged(offer));
    }
    this.touch();
  }

  /**
   * Servers may be configured otherwise now: what another server under the same name offered counts for nothing, and what is held
   * follows from what was accepted of this one.
   */
  configure(): void {
    for (const [server, offer] of this.#offers) {
      if (this.#isFrom(offer)) this.#offers.set(server, this.#judged(offer));
      else this.#offers.delete(server);
    }
  }

  /** Uses definitions that were held and need not be any more, because a person switched quarantine or pins off. */
  releaseHeld(): void {
    for (const [server, offer] of [...this.#offers]) {
      const place = this.#placeOf(server);
      if (!place || !this.#isFrom(offer)) continue;
      const judged = this.#judged(offer);
      if (heldCount(judged) >= heldCount(offer)) continue;
      this.#rows.set(server, { ...place, transport: this.#registry.transportOf(server) });
      inTransaction(this.#database, () => {
        this.#save(judged);
        this.definitions.learn(judged);
      });
      this.put(judged);
    }
  }

  /**
   * An offer as it is held now. Its own word on that is as old as the offer, and another node may have written it before it heard what a
   * person accepted.
   */
  #judged(offer: ServerOffer): ServerOffer {
    const place = this.#placeOf(offer.server);
    if (!place || (!place.pinned && !place.quarantined && heldCount(offer) === 0)) return offer;
    const pins = this.#pinsOf(offer.server, place, offer.owner);
    const judged = { ...offer, tools: repinned(offer.tools, pins), extras: offeredExtras(offer, pins) };
    return holds(judged) === holds(offer) ? offer : judged;
  }

  /** Has the registry say that what people accepted is in use. Every node comes to the same rows, whatever it holds by its own config. */
  #useAccepted(offer: ServerOffer): void {
    if (heldCount(offer) === 0) return;
    const isAccepted = this.definitions.accepted(identityOf(offer));
    const { server, tools, extras } = offer;
    const held = tools
      .filter(({ status, reason }) => status !== 'active' && reason !== 'name_conflict')
      .map(({ definition: { name: tool }, sha256 }) => ({ tool, sha256 }));
    if (extras && extras.status !== 'active') held.push({ tool: EXTRAS, sha256: extras.sha256 });
    for (const { tool, sha256 } of held) if (isAccepted(tool, sha256)) this.#registry.activate(server, tool, sha256);
  }

  /** Forgets everything about servers of this name: the next one under it is a new server. */
  forget(server: string): void {
    inTransaction(this.#database, () => {
      this.#registry.forget(server);
      this.definitions.forget(server);
    });
    this.#offers.delete(server);
    this.touch();
  }

  #isFrom({ server, endpoint, registration }: ServerOffer): boolean {
    const place = this.#placeOf(server);
    if (place === undefined) return true;
    return registration === place.registration && (endpoint === undefined || endpoint === place.endpoint);
  }

  /** The offers of these servers, in their order; a server that was never seen has none. */
  offersOf(servers: Iterable<string>): ServerOffer[] {
    return [...servers].flatMap((server) => this.#offers.get(server) ?? []);
  }

  offer(server: string): ServerOffer | undefined {
    return this.#offers.get(server);
  }

  /** Takes what a server offers now; gives the tools whose definitions are not the accepted ones. One that was removed offers nothing. */
  learn(server: string, upstream: Upstream, catalogue: RawCatalogue): ChangedDefinition[] {
    const place = this.#placeOf(server);
    if (!place) return [];
    this.#rows.set(server, { ...place, transport: upstream.transport });
    const { offer, changes } = inTransaction(this.#database, () => {
      this.#forgetStranger(server, place);
      const before = this.#offers.get(server);
      const fresh = this.#offerOf({ server, upstream, owner: undefined }, catalogue, place);
      const known = { ...fresh, tools: withAsked(fresh.tools, before?.tools ?? []) };
      const claimed = { ...known, claims: renewedClaims(known, before, this.#met.get(server) ?? this.#claimTime()) };
      const offer = before?.probedFor === undefined ? claimed : { ...claimed, probedFor: before.probedFor };
      this.#save(offer);
      return { offer, changes: newsOf(this.definitions.learn(offer), before) };
    });
    this.put(offer);
    this.#met.delete(server);
    return changes;
  }

  /** What the server at one address showed says nothing of a server at another. */
  #forgetStranger(server: string, { quarantined, endpoint }: ServerPlace): void {
    const before = this.#registry.offer(server)?.endpoint;
    if (!quarantined || before === undefined || before === endpoint) return;
    this.#registry.forget(server);
    this.definitions.forgetUse(server);
    this.#offers.delete(server);
  }

  /** Whether the server was probed for tools that only some clients see since its other tools last changed. */
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
    const asked = offeredTools(
      found.map(({ tool }) => tool),
      this.#pinsOf(server, row),
    ).map((tool, index) => ({ ...tool, needs: found[index]?.needs ?? [] }));
    const probed = { ...offer, tools: [...plainTools(offer), ...asked], probedFor: plainDigest(offer) };
    const whole = { ...probed, claims: renewedClaims(probed, offer, this.#claimTime()) };
    inTransaction(this.#database, () => {
      this.#save(whole);
      this.definitions.learn(whole);
    });
    this.put(whole);
  }

  /** Takes what a server offers one user; nobody else sees it. */
  learnPrivate(
    owner: string,
    server: string,
    upstream: Upstream,
    catalogue: RawCatalogue,
  ): { readonly offer: ServerOffer; readonly changes: ChangedDefinition[] } {
    const place = this.#placeOf(server);
    if (!place) throw new Error('the server was removed');
    this.#rows.set(server, { ...place, transport: upstream.transport });
    return inTransaction(this.#database, () => {
      const before = this.#registry.privateOffers(owner).get(server);
      const fresh = this.#offerOf({ server, upstream, owner }, catalogue, place);
      const offer = { ...fresh, claims: renewedClaims(fresh, before, this.#claimTime()) };
      this.#save(offer);
      return { offer, changes: newsOf(this.definitions.learn(offer), before) };
    });
  }

  /** What a server offers on a connection of one client alone, held to the same pins; nothing of it is kept. */
  offerFrom(listed: ListedConnection, catalogue: RawCatalogue): OwnOffer | undefined {
    const place = this.#placeOf(listed.server);
    if (!place) return undefined;
    const { tools, resources, resourceTemplates, prompts, extras } = this.#offerOf(listed, catalogue, place);
    return { tools, resources, resourceTemplates, prompts, ...(extras ? { extras } : {}) };
  }

  /** What a user was offered when the servers were last seen. */
  privateOffers(owner: string): Map<string, ServerOffer> {
    const offers = [...this.#registry.privateOffers(owner)].filter(([, offer]) => this.#isFrom(offer));
    return new Map(offers.map(([server, offer]) => [server, this.#judged(offer)]));
  }

  /** Later than every claim that is known, also where the clock was set back. */
  #claimTime(): number {
    this.#lastClaim = Math.max(this.#lastClaim + 1, this.#clock.now());
    return this.#lastClaim;
  }

  #offerOf({ server, upstream, owner }: ListedConnection, listed: RawCatalogue, place: ServerPlace): ServerOffer {
    const pins = this.#pinsOf(server, place, owner);
    const { catalogue, ...report } = boundedCatalogue(listed);
    this.#tellBounded(server, report);
    const offer = {
      server,
      endpoint: place.endpoint,
      ...(place.registration === undefined ? {} : { registration: place.registration }),
      ...(owner === undefined ? {} : { owner }),
      era: upstream.era,
      protocolVersion: upstream.protocolVersion,
      serverInfo: upstream.serverInfo ?? null,
      capabilities: upstream.capabilities,
      instructions: upstream.instructions ?? null,
      tools: offeredTools(catalogue.tools, pins),
      resources: catalogue.resources,
      resourceTemplates: catalogue.resourceTemplates,
      prompts: catalogue.prompts,
    };
    return { ...offer, extras: offeredExtras(offer, pins) };
  }

  /** Says once what of a server's lists is not kept as it is, and again when that changes. */
  #tellBounded(server: string, report: BoundedReport): void {
    const text = boundedText(report);
    if (this.leftOutOf(server) === text) return;
    if (text === undefined) {
      this.#leftOut.delete(server);
      this.#log.info('the lists of a server are kept as they are again', { server });
      return;
    }
    this.#leftOut.set(server, text);
    const { leftOut, tooDeep, unusable, repaired } = report;
    const names = Object.entries({ too_deep: tooDeep, unusable, repaired }).filter(([, { length }]) => length > 0);
    this.#log.warn('definitions of a server are left out or repaired', {
      server,
      left_out: leftOut,
      ...Object.fromEntries(names.map(([why, told]) => [why, told.slice(0, TOLD_MAX)])),
    });
  }

  /** What of a server's lists is left out or repaired, and why; undefined where all of it is kept as it is. */
  leftOutOf(server: string): string | undefined {
    return this.#leftOut.get(server);
  }

  /** Held is what nobody accepted of this very server; the table of tools only says what was in use when it was written. */
  #pinsOf(server: string, { pinned, quarantined = false, ...place }: ServerPlace, owner?: string): PinPolicy {
    const { endpoint, registration } = place;
    const at = { server, endpoint, ...(registration === undefined ? {} : { registration }) };
    const inUse = this.definitions.inUse({ ...at, ...(owner === undefined ? {} : { owner }) });
    return { pinned, quarantined, inUse, isAccepted: this.definitions.accepted(identityOf(at)) };
  }

  #save(offer: ServerOffer): void {
    const { server } = offer;
    const { endpoint, transport } = this.#rows.get(server) as ServerRow;
    const tools = [...publicCatalogue([offer], 'qualified').tools.values()].map((tool) => ({
      ...tool,
      tokens: this.#counts.known(tool.json),
      approvalRequired: this.#asksPerson({ ...tool, readOnly: readsOnly(tool.offered) }),
    }));
    this.#registry.saveOffer({ name: server, endpoint, transport }, offer, tools);
    this.#counter.add(
      tools.filter(({ tokens }) => tokens === undefined),
      offer.owner ?? '',
    );
  }

  /** Remembers what a built-in server offers, where that is something else than before. */
  keepBuiltin(offer: ServerOffer): void {
    const { server } = offer;
    this.#rows.set(server, { endpoint: `builtin:${server}`, transport: 'stdio', pinned: false });
    if (JSON.stringify(this.#offers.get(server)) !== JSON.stringify(offer)) this.#save(offer);
  }

  /** Makes lists of this offer from now on. */
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

  /** Accepts definitions that a person reviewed; false, and none is accepted, where one of them changed meanwhile. */
  accept(server: string, seen: readonly SeenDefinition[]): boolean {
    if (!acceptForAll(this.#registry, this.definitions, server, seen)) return false;
    const offer = this.#registry.offer(server);
    if (offer && this.#isFrom(offer)) this.put(this.#judged(offer));
    return true;
  }
}

/** Of what differs from what was accepted, what was not so before: a server may say the same with every connection. */
function newsOf(changes: readonly ChangedDefinition[], before: ServerOffer | undefined): ChangedDefinition[] {
  const known = new Map(before?.tools.map(({ definition, sha256 }) => [definition.name, sha256]));
  if (before?.extras) known.set(EXTRAS, before.extras.sha256);
  return changes.filter(({ tool, current }) => known.get(tool) !== current.sha256);
}

/** What of an offer is held, to compare with. */
function holds({ tools, extras }: ServerOffer): string {
  return [extras?.status, ...tools.map(({ status }) => status)].join();
}

function countsReport(log: Log): FailureReport {
  return new FailureReport(log, {
    failing: 'cannot store token counts; they will be counted again',
    again: 'what tools cost in tokens is kept again',
  });
}

function plainTools(offer: ServerOffer | undefined): OfferedTool[] {
  return offer?.tools.filter(({ needs }) => needs === undefined) ?? [];
}

/** Until the next probe the tools that only some clients see stay as they were. */
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
