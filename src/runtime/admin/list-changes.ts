import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { publicCatalogue } from '../../gateway/catalogue/public-catalogue.ts';
import type { EventName } from '../../gateway/operations/event-names.ts';
import type { ServerItem } from '../../gateway/operations/items.ts';
import { offersOf } from '../catalogue/registry-tools.ts';
import type { PolicyInForce } from '../policy/policy-in-force.ts';
import { type ServerFacts, serverItem } from './server-item.ts';

type ServerEvent = z.output<typeof ServerItem>;

/** The fields that mark a server as removed in its event. */
const REMOVED = {
  enabled: false,
  state: 'disabled',
  reason: 'removed',
  connected: false,
  status: 'stopped',
  tools: 0,
  held: 0,
} as const;

/** The fields of a server whose change makes an event; another health check alone does not. */
function shownState(item: ServerEvent | undefined) {
  const { last_health_check: _looked, breaker: _calls, ...shown } = item ?? {};
  return shown;
}

/** The sources of servers, tools and policy. */
export interface ListFacts extends ServerFacts {
  readonly policy: PolicyInForce;
}

/** Finds changes of servers, tools and policy since the last event. */
export class ListChanges {
  readonly #facts: ListFacts;
  readonly #tell: (event: EventName, data: unknown) => void;
  /** Undefined until the first listener: before it no change can be missed. */
  #lists: { readonly tools: ReadonlyMap<string, string>; readonly policy: string } | undefined;
  /** Servers as of the last event, or as of the first subscription. */
  readonly #servers = new Map<string, ServerEvent>();

  constructor(facts: ListFacts, tell: (event: EventName, data: unknown) => void) {
    this.#facts = facts;
    this.#tell = tell;
  }

  /** Starts to report changes. */
  begin(): void {
    if (this.#lists) return;
    this.#lists = { tools: this.#toolNames(), policy: this.#policyState() };
    for (const id of this.#facts.servers.ids()) this.#servers.set(id, serverItem(this.#facts, id));
  }

  /** Names of the tools of these profiles. A profile that was removed from the config has no tools. */
  toolNamesOf(profiles: readonly string[]): ReadonlySet<string> {
    const { policy, servers } = this.#facts;
    const offers = policy.profiles
      .filter(({ name }) => profiles.includes(name))
      .flatMap((profile) => offersOf(servers.offers(), profile));
    return new Set(publicCatalogue([...new Set(offers)], 'qualified').tools.keys());
  }

  serverChanged(id: string): void {
    const { config, servers } = this.#facts;
    if (config.find(id) || servers.builtins.has(id)) this.#tellServer(serverItem(this.#facts, id));
  }

  /** The gateway signals changes of lists and policy together; only real changes are sent. */
  listsChanged(): void {
    const before = this.#lists;
    if (!before) return;
    this.#serversChanged();
    const [tools, policy] = [this.#toolNames(), this.#policyState()];
    if (policy !== before.policy) this.#tell('policy.changed', this.#facts.policy.status());
    const isSame =
      tools.size === before.tools.size && [...tools].every(([name, state]) => before.tools.get(name) === state);
    if (!isSame) this.#tell('tools.changed', { names: [...tools.keys()] });
    this.#lists = { tools, policy };
  }

  #tellServer(item: ServerEvent): void {
    this.#servers.set(item.id, item);
    this.#tell('server.changed', item);
  }

  /** Reports servers that were added, removed, or changed without a change of their connection: disabled, held, accepted. */
  #serversChanged(): void {
    const ids = new Set(this.#facts.servers.ids());
    for (const id of ids) {
      const item = serverItem(this.#facts, id);
      if (!isDeepStrictEqual(shownState(item), shownState(this.#servers.get(id)))) this.#tellServer(item);
    }
    for (const [id, before] of this.#servers) {
      if (ids.has(id)) continue;
      this.#tellServer({ ...before, ...REMOVED });
      this.#servers.delete(id);
    }
  }

  /** Names in order, each with its digest: a changed definition counts as a change, but events carry only names. */
  #toolNames(): Map<string, string> {
    const { tools } = publicCatalogue(this.#facts.servers.offers(), 'qualified');
    return new Map([...tools.values()].map(({ name, offered }) => [name, `${offered.sha256} ${offered.status}`]));
  }

  #policyState(): string {
    const { layers, approval } = this.#facts.policy.status();
    return JSON.stringify([layers.map(({ loaded_at: _, ...layer }) => layer), approval]);
  }
}
