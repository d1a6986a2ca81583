import { SEARCH_LIMITS } from '../limits.ts';

/** The members of an ended call in the audit log that learning needs; arguments are masked there. */
export interface EndedCall {
  readonly kind: string;
  readonly outcome?: string | undefined;
  readonly profile?: string | undefined;
  readonly session?: string | undefined;
  readonly caller?: string | undefined;
  readonly client?: { readonly name: string } | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  /** Public name. */
  readonly name?: string | undefined;
  readonly arguments?: unknown;
}

/** A query that found a tool, and the successful call of that tool. */
export interface LearnedCall {
  readonly server: string;
  readonly tool: string;
  readonly query: string;
}

/** The public names that a query finds now, best first. */
export type FindNames = (profile: string, query: string) => Promise<readonly string[]>;

/**
 * Learns from ended calls: the last search of the same conversation led to a tool if it finds that tool. Of several queries, the one
 * that ranks the tool highest counts.
 */
export class QueryLearner {
  readonly #find: FindNames;
  /** The queries of each conversation's last search; evicts the oldest search. */
  readonly #searches = new Map<string, readonly string[]>();

  constructor(find: FindNames) {
    this.#find = find;
  }

  async learn(call: EndedCall): Promise<LearnedCall | undefined> {
    const conversation = conversationOf(call);
    if (call.kind === 'search' && call.outcome === 'ok') this.#remember(conversation, queriesOf(call.arguments));
    if (call.kind !== 'call' || call.outcome !== 'ok') return undefined;
    const { server, tool, name, profile = 'default' } = call;
    if (server === undefined || tool === undefined || name === undefined) return undefined;
    const query = await this.#leadingQuery(this.#searches.get(conversation) ?? [], profile, name);
    return query === undefined ? undefined : { server, tool, query };
  }

  #remember(conversation: string, queries: readonly string[]): void {
    this.#searches.delete(conversation);
    this.#searches.set(conversation, queries);
    const [oldest] = this.#searches.keys();
    if (this.#searches.size > SEARCH_LIMITS.learnedConversationsMax && oldest !== undefined)
      this.#searches.delete(oldest);
  }

  async #leadingQuery(queries: readonly string[], profile: string, name: string): Promise<string | undefined> {
    let leading: string | undefined;
    let best: number = SEARCH_LIMITS.learnedPlacesMax;
    for (const query of queries) {
      const place = (await this.#find(profile, query)).indexOf(name);
      if (place < 0 || place >= best) continue;
      best = place;
      leading = query;
    }
    return leading;
  }
}

/** The session, or a substitute if the client has none. */
function conversationOf({ session, caller, client, profile }: EndedCall): string {
  return session ?? JSON.stringify([caller, client?.name, profile]);
}

function queriesOf(args: unknown): string[] {
  const { query, queries } = (args ?? {}) as { query?: unknown; queries?: unknown };
  const texts = [query, ...(Array.isArray(queries) ? queries : [])].filter((text) => typeof text === 'string');
  return texts.map((text) => text.trim().slice(0, SEARCH_LIMITS.learnedQueryCharsMax)).filter((text) => text !== '');
}
