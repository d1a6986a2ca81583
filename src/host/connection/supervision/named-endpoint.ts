import { BinderyError } from '../../../contract/errors.ts';
import { UpstreamError } from '../../../wire/upstream.ts';
import { cancelledError } from '../exchange/exchanges.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';

/** What a name leads to, as its resolver answered. */
export interface ResolvedName {
  readonly endpoint: string;
  /** Seconds for which the answer holds. */
  readonly ttl: number;
  /** The canonical name that the answer is about. */
  readonly identity?: string;
  /** Whatever else it says, its signature included. */
  readonly [member: string]: unknown;
}

/** Who knows where `ai://` names lead. */
export interface NameResolver {
  /** Rejects with a `BinderyError` where the name leads nowhere. */
  resolve(name: string, signal: AbortSignal): Promise<ResolvedName>;
  /** Why none of the keys stands behind an answer now; undefined if one does. */
  distrust(answer: ResolvedName, keys: readonly string[]): string | undefined;
  /** Whether names may lead to private addresses; absent: they may not, and only public addresses are dialled. */
  allowsPrivateEndpoints?(): boolean;
}

/** A server that is known by its name. */
export interface NamedServer {
  readonly name: string;
  /** Keys of which one must have signed the answer; absent: any answer counts. */
  readonly keys?: readonly string[];
}

interface Good {
  readonly answer: ResolvedName;
  readonly endpoint: string;
}

/** The endpoint behind a name: resolved when it is needed; the last good answer is used while no resolver answers. */
export class NamedEndpoint {
  readonly #server: NamedServer;
  readonly #resolver: NameResolver;
  readonly #now: () => number;
  readonly #timeoutMs: number;
  #good: Good | undefined;
  #staleAt = 0;
  #doubt: string | undefined;

  constructor(
    server: NamedServer,
    resolver: NameResolver,
    now: () => number,
    timeoutMs: number = LIMITS.nameTimeoutMs,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#server = server;
    this.#resolver = resolver;
    this.#now = now;
  }

  /** Why the endpoint in use could not be confirmed; undefined if it was. */
  get doubt(): string | undefined {
    return this.#doubt;
  }

  /** Time until the answer should be asked for again. */
  get freshMs(): number {
    return Math.max(0, this.#staleAt - this.#now());
  }

  /** The endpoint that is known, or where its time is over the one that is found. */
  current(signal: AbortSignal): Promise<string> {
    return this.#good && this.freshMs > 0 ? Promise.resolve(this.#good.endpoint) : this.find(signal);
  }

  /**
   * Resolves the name again. If it does not resolve, or its resolver fails, the last good endpoint stays. An answer without the
   * signature of a pinned key rejects with an `UpstreamError`, and earlier answers no longer count.
   */
  async find(signal: AbortSignal): Promise<string> {
    let answer: ResolvedName;
    try {
      answer = await this.#ask(signal);
    } catch (thrown) {
      if (signal.aborted) throw cancelledError();
      return this.#lastGood(thrown instanceof BinderyError ? `${thrown.message} (${thrown.code})` : 'nobody answers');
    }
    this.#refuse(answer);
    const seconds = Math.min(Math.max(answer.ttl, 1), LIMITS.nameTtlMaxSeconds);
    this.#good = { answer, endpoint: answer.endpoint };
    this.#doubt = undefined;
    this.#staleAt = this.#now() + seconds * 1000;
    return answer.endpoint;
  }

  /** A resolver that does not answer, whatever becomes of it, is one that fails. */
  async #ask(signal: AbortSignal): Promise<ResolvedName> {
    const ending = new AbortController();
    const gone = new Promise<never>((_, reject) => {
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true });
    });
    const end = () => ending.abort();
    const timer = setTimeout(end, this.#timeoutMs);
    signal.addEventListener('abort', end, { once: true });
    try {
      signal.throwIfAborted();
      return await Promise.race([this.#resolver.resolve(this.#server.name, ending.signal), gone]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }

  #lastGood(why: string): string {
    const { name } = this.#server;
    if (!this.#good) throw new UpstreamError('refused', `${name} does not resolve: ${why}`);
    // Its signature may have run out meanwhile.
    this.#refuse(this.#good.answer);
    this.#doubt = `${name} does not resolve: ${why}; its last endpoint is in use`;
    this.#staleAt = this.#now() + LIMITS.nameRetryMs;
    return this.#good.endpoint;
  }

  #refuse(answer: ResolvedName): void {
    const { name, keys } = this.#server;
    if (keys === undefined) return;
    const why =
      answer.identity === canonical(name) ? this.#resolver.distrust(answer, keys) : 'the answer is about another name';
    if (why === undefined) return;
    this.#good = undefined;
    this.#doubt = undefined;
    throw new UpstreamError('refused', `no pinned key stands behind the answer for ${name}: ${why}`);
  }
}

/** No resolver: names stay unresolved, and connecting fails with that reason. */
export const NO_NAMES: NameResolver = {
  resolve: async () => {
    throw new BinderyError('IDENTITY_UNRESOLVED', { detail: 'nothing here resolves names' });
  },
  distrust: () => 'nothing here verifies signatures',
};

/** `AI://Acme@somewhere` is `ai://acme`. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/@.*$/, '');
}
