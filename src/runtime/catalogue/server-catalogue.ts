import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Log } from '../../contract/ports.ts';
import { type AskedTool, plainDigest, plainTools, withAsked } from '../../gateway/catalogue/asked-tools.ts';
import { lastClaim, renewedClaims } from '../../gateway/catalogue/claims.ts';
import { publicCatalogue } from '../../gateway/catalogue/public-catalogue.ts';
import {
  EXTRAS,
  heldCount,
  identityOf,
  offeredTools,
  type RawCatalogue,
  readsOnly,
  type SeenDefinition,
  type ServerOffer,
} from '../../gateway/catalogue/server-offer.ts';
import { AcceptedDefinitions, type ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import type { JudgedTool, RegistryStore } from '../../store/registry/registry-store.ts';
import { isLongList, SlicedRows, type WriteRows, writeAll } from '../../store/registry/sliced-rows.ts';
import type { Upstream } from '../../wire/upstream.ts';
import { type ChosenOf, PinnedOffers, type PlaceOf, type ServerPlace } from './pinned-offers.ts';
import { ToolCounter } from './tool-counter.ts';

export interface ServerCatalogueOptions {
  readonly registry: RegistryStore;
  readonly database: DatabaseSync;
  readonly log: Log;
  readonly clock: Clock;
  readonly placeOf: PlaceOf;
  /** Removes the tools that a server's entry excludes; absent: no tools are excluded. */
  readonly chosenOf?: ChosenOf;
  /** Whether policy requires a person's approval for a tool. */
  asksPerson(tool: JudgedTool): boolean;
}

interface ServerRow extends ServerPlace {
  readonly transport: Upstream['transport'];
}

/** The offers of servers: stored in the registry, cached in memory. The version changes with any offer. */
export class ServerCatalogue {
  readonly definitions: AcceptedDefinitions;
  readonly pinned: PinnedOffers;
  readonly #registry: RegistryStore;
  readonly #offers: Map<string, ServerOffer>;
  /** Offers of servers whose name has another entry in the config at present, such as a project's: their claims stay. */
  readonly #displaced = new Map<string, ServerOffer>();
  readonly #counter: ToolCounter;
  /** Rows of long lists that are still to be written, by server. */
  readonly #unwritten: SlicedRows;
  readonly #asksPerson: (tool: JudgedTool) => boolean;
  /** Per listed server: its endpoint and transport, and which definitions are held. */
  readonly #rows = new Map<string, ServerRow>();
  /** Servers in their first discovery, with the time of their claims: the same for all that are configured together. */
  readonly #discovering = new Map<string, number>();
  readonly #clock: Clock;
  readonly #placeOf: PlaceOf;
  /** The registry stores all tools, so that a changed entry shows them again at once. */
  readonly #chosenOf: ChosenOf;
  #lastClaim = 0;
  #version = 1;

  constructor({
    registry,
    database,
    log,
    clock,
    placeOf,
    chosenOf = (offer) => offer,
    asksPerson,
  }: ServerCatalogueOptions) {
    this.definitions = new AcceptedDefinitions(database);
    this.pinned = new PinnedOffers({ definitions: this.definitions, placeOf, chosenOf, log });
    this.#registry = registry;
    this.#counter = new ToolCounter({ registry, database, log });
    this.#unwritten = new SlicedRows({ together: (work) => registry.together(work), log });
    this.#clock = clock;
    this.#offers = registry.offers();
    this.#placeOf = placeOf;
    this.#chosenOf = chosenOf;
    this.#asksPerson = asksPerson;
    for (const offer of this.#offers.values()) this.#lastClaim = Math.max(this.#lastClaim, lastClaim(offer));
  }

  /** Before these servers connect: those never seen get equal claims, so the order of their answers does not matter. */
  beginDiscovery(servers: Iterable<string>): void {
    const unseen = [...servers].filter((server) => !this.#offers.has(server) && !this.#discovering.has(server));
    if (unseen.length === 0) return;
    const time = this.#claimTime();
    for (const server of unseen) this.#discovering.set(server, time);
  }

  /** A server that failed its first connection gets newer claims later. */
  failDiscovery(server: string): void {
    this.#discovering.delete(server);
  }

  end(): void {
    this.#unwritten.end();
    this.#counter.end();
  }

  get version(): number {
    return this.#version;
  }

  /** Loads the changes that another process wrote to the registry. */
  reload(): void {
    const offers = this.#registry.offers();
    for (const server of [...this.#offers.keys()])
      if (!offers.has(server) && this.#placeOf(server)) this.#offers.delete(server);
    for (const server of [...this.#displaced.keys()]) if (!offers.has(server)) this.#displaced.delete(server);
    for (const [server, offer] of offers) {
      this.#lastClaim = Math.max(this.#lastClaim, lastClaim(offer));
      if (!this.pinned.isFrom(offer)) {
        if (!this.#offers.has(server)) this.#displaced.set(server, offer);
        continue;
      }
      this.#useAccepted(offer);
      this.#use(this.pinned.renew(offer));
    }
    this.touch();
  }

  /**
   * Applies a new configuration: uses no offer of another server under the same name, and recomputes which definitions are held. A
   * server that gets its name back also gets its offer back.
   */
  configure(): void {
    const displaced = [...this.#displaced.values()];
    for (const [server, offer] of this.#offers) {
      if (this.pinned.isFrom(offer)) this.#offers.set(server, this.pinned.renew(offer));
      else {
        this.#offers.delete(server);
        this.#displaced.set(server, offer);
      }
    }
    for (const offer of displaced)
      if (this.pinned.isFrom(offer) && !this.#offers.has(offer.server)) this.#use(this.pinned.renew(offer));
  }

  #use(offer: ServerOffer): void {
    this.#offers.set(offer.server, offer);
    this.#displaced.delete(offer.server);
  }

  /** Releases held definitions after a person switched quarantine or pins off. */
  releaseHeld(): void {
    for (const [server, offer] of [...this.#offers]) {
      const place = this.#placeOf(server);
      if (!place || !this.pinned.isFrom(offer)) continue;
      const renewed = this.pinned.renew(offer);
      if (heldCount(renewed) >= heldCount(offer)) continue;
      this.#rows.set(server, { ...place, transport: this.#registry.transportOf(server) });
      this.#keep(renewed);
      this.put(renewed);
    }
  }

  /** Marks accepted definitions as active in the registry. Every node writes the same rows, independent of its own config. */
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

  /** Deletes everything about a name: the next server with it counts as new. */
  forget(server: string): void {
    this.#unwritten.drop(server);
    this.#registry.together(() => {
      this.#registry.forget(server);
      this.definitions.forget(server);
    });
    this.#offers.delete(server);
    this.#displaced.delete(server);
    this.touch();
  }

  /** The known offers of these servers, in their order. */
  offersOf(servers: Iterable<string>): ServerOffer[] {
    return [...servers].flatMap((server) => this.offer(server) ?? []);
  }

  /** A server's offer, without the tools that its entry excludes. */
  offer(server: string): ServerOffer | undefined {
    const offer = this.#offers.get(server);
    return offer && this.#chosenOf(offer);
  }

  /** The last offer under a server's name, even if another entry has the name at present. */
  lastOffer(server: string): ServerOffer | undefined {
    return this.#offers.get(server) ?? this.#displaced.get(server);
  }

  /** Stores a server's current lists. Returns the tools whose definitions are not the accepted ones. A removed server is ignored. */
  learn(server: string, upstream: Upstream, catalogue: RawCatalogue): ChangedDefinition[] {
    const place = this.#placeOf(server);
    if (!place) return [];
    this.#rows.set(server, { ...place, transport: upstream.transport });
    const { offer, changes } = this.#registry.together(() => {
      this.#forgetStranger(server, place);
      const before = this.#offers.get(server);
      const fresh = this.pinned.offerOf({ server, upstream, owner: undefined }, catalogue, place);
      const known = { ...fresh, tools: withAsked(fresh.tools, before?.tools ?? []) };
      const claimed = {
        ...known,
        claims: renewedClaims(known, this.lastOffer(server), this.#discovering.get(server) ?? this.#claimTime()),
      };
      const offer = before?.probedFor === undefined ? claimed : { ...claimed, probedFor: before.probedFor };
      return { offer, changes: newsOf(this.#keep(offer), before) };
    });
    this.put(offer);
    this.#discovering.delete(server);
    return changes;
  }

  /** If a quarantined server has another address, forgets what the server at the previous address offered. */
  #forgetStranger(server: string, { quarantined, endpoint }: ServerPlace): void {
    if (!quarantined) return;
    const before = this.#registry.endpointOf(server);
    if (before === undefined || before === endpoint) return;
    this.#registry.forget(server);
    this.definitions.forgetUse(server);
    this.#offers.delete(server);
    this.#displaced.delete(server);
  }

  /** Stores the tools that a server shows only to clients that can be asked something. */
  learnAsked(server: string, found: readonly AskedTool[]): void {
    const offer = this.#offers.get(server);
    const row = this.#rows.get(server);
    if (!offer || !row) return;
    const asked = offeredTools(
      found.map(({ tool }) => tool),
      this.pinned.pinsOf(server, row),
    ).map((tool, index) => ({ ...tool, needs: found[index]?.needs ?? [] }));
    const probed = { ...offer, tools: [...plainTools(offer), ...asked], probedFor: plainDigest(offer) };
    const whole = { ...probed, claims: renewedClaims(probed, offer, this.#claimTime()) };
    if (found.length === 0 && probed.tools.length === offer.tools.length) this.#saveList(whole);
    else this.#keep(whole);
    this.put(whole);
  }

  /** Stores what a server offers one user; only that user sees it. */
  learnPrivate(
    owner: string,
    server: string,
    upstream: Upstream,
    catalogue: RawCatalogue,
  ): { readonly offer: ServerOffer; readonly changes: ChangedDefinition[] } {
    const place = this.#placeOf(server);
    if (!place) throw new Error('the server was removed');
    this.#rows.set(server, { ...place, transport: upstream.transport });
    return this.#registry.together(() => {
      const before = this.#registry.privateOffers(owner).get(server);
      const fresh = this.pinned.offerOf({ server, upstream, owner }, catalogue, place);
      const offer = { ...fresh, claims: renewedClaims(fresh, before, this.#claimTime()) };
      return { offer: this.#chosenOf(offer), changes: newsOf(this.#keep(offer), before) };
    });
  }

  /** The last known offers to a user. */
  privateOffers(owner: string): Map<string, ServerOffer> {
    const offers = [...this.#registry.privateOffers(owner)].filter(([, offer]) => this.pinned.isFrom(offer));
    return new Map(offers.map(([server, offer]) => [server, this.#chosenOf(this.pinned.renew(offer))]));
  }

  /** A time after every known claim, even if the clock was set back. */
  #claimTime(): number {
    this.#lastClaim = Math.max(this.#lastClaim + 1, this.#clock.now());
    return this.#lastClaim;
  }

  /** Stores an offer. Returns the definitions that differ from those in use. */
  #keep(offer: ServerOffer): ChangedDefinition[] {
    this.#unwritten.drop(offer.server);
    const isLong = offer.owner === undefined && isLongList(offer.tools);
    const writeRows = isLong ? this.#unwritten.of(offer.server) : writeAll;
    return this.#registry.together(() => {
      this.#saveList(offer);
      if (isLong) this.#unwritten.later(offer.server, () => this.#saveTools(offer, writeRows));
      else this.#saveTools(offer, writeRows);
      return this.definitions.learn(offer, writeRows);
    });
  }

  #saveList(offer: ServerOffer): void {
    const { endpoint, transport } = this.#rows.get(offer.server) as ServerRow;
    this.#registry.saveList({ name: offer.server, endpoint, transport }, offer);
  }

  #saveTools(offer: ServerOffer, writeRows: WriteRows): void {
    const tools = [...publicCatalogue([this.#chosenOf(offer)], 'qualified').tools.values()].map((tool) => ({
      ...tool,
      tokens: this.#counter.counts.known(tool.json),
      approvalRequired: this.#asksPerson({ ...tool, readOnly: readsOnly(tool.offered) }),
    }));
    this.#registry.saveTools(offer.server, offer, tools, writeRows);
    this.#counter.add(
      tools.filter(({ tokens }) => tokens === undefined),
      offer.owner ?? '',
    );
  }

  /** Stores the offer of a built-in server, if it has changed. */
  keepBuiltin(offer: ServerOffer): void {
    const { server } = offer;
    this.#rows.set(server, { endpoint: `builtin:${server}`, transport: 'stdio', pinned: false });
    if (JSON.stringify(this.#offers.get(server)) !== JSON.stringify(offer)) {
      this.#saveList(offer);
      this.#saveTools(offer, writeAll);
    }
  }

  /** Uses this offer in lists from now on. */
  put(offer: ServerOffer): void {
    this.#use(offer);
    this.touch();
  }

  /** Something that lists depend on has changed. */
  touch(): void {
    this.#version += 1;
  }

  /** Tokens of one definition, or of a whole list, as clients receive it; cached. */
  tokensOf(json: string): number {
    return this.#counter.counts.of(json);
  }

  /** Accepts definitions that a person reviewed. If one of them changed in the meantime, accepts none and returns false. */
  accept(server: string, seen: readonly SeenDefinition[]): boolean {
    this.#unwritten.flush(server);
    if (!this.definitions.acceptForAll(this.#registry, server, seen)) return false;
    const offer = this.#registry.offer(server);
    if (offer && this.pinned.isFrom(offer)) this.put(this.pinned.renew(offer));
    return true;
  }
}

/** The changes that are new: a server may report the same ones with every connection. */
function newsOf(changes: readonly ChangedDefinition[], before: ServerOffer | undefined): ChangedDefinition[] {
  const known = new Map(before?.tools.map(({ definition, sha256 }) => [definition.name, sha256]));
  if (before?.extras) known.set(EXTRAS, before.extras.sha256);
  return changes.filter(({ tool, current }) => known.get(tool) !== current.sha256);
}
