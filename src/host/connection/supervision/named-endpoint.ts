import { BinderyError } from '../../../contract/errors.ts';
import { UpstreamError } from '../../../wire/upstream.ts';
import { cancelledError } from '../exchange/exchanges.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';

/** A resolver's answer for a name. */
export interface ResolvedName {
  readonly endpoint: string;
  /** Seconds for which the answer is valid. */
  readonly ttl: number;
  /** The canonical name of the answer. */
  readonly identity?: string;
  /** Further members, including the signature. */
  readonly [member: string]: unknown;
}

/** Resolves `ai://` names. */
export interface NameResolver {
  /** Rejects with a `BinderyError` if the name does not resolve. */
  resolve(name: string, signal: AbortSignal): Promise<ResolvedName>;
  /** Why the answer is not validly signed by any of the keys; undefined if it is. */
  distrust(answer: ResolvedName, keys: readonly string[]): string | undefined;
  /** Whether names may resolve to private addresses; absent: only public addresses are dialled. */
  allowsPrivateEndpoints?(): boolean;
}

/** A server that is configured by name. */
export interface NamedServer {
  readonly name: string;
  /** One of these keys must have signed the answer; absent: any answer is accepted. */
  readonly keys?: readonly string[];
}

interface Good {
  readonly answer: ResolvedName;
  readonly endpoint: string;
}

/** The endpoint of a name. Resolves it on demand, and keeps the last good answer while the resolver fails. */
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

  /** Why the current endpoint could not be confirmed; undefined if it was. */
  get doubt(): string | undefined {
    return this.#doubt;
  }

  /** Time until the name should be resolved again. */
  get freshMs(): number {
    return Math.max(0, this.#staleAt - this.#now());
  }

  /** The known endpoint if it is fresh; otherwise resolves the name. */
  current(signal: AbortSignal): Promise<string> {
    return this.#good && this.freshMs > 0 ? Promise.resolve(this.#good.endpoint) : this.find(signal);
  }

  /**
   * Resolves the name. If that fails, keeps the last good endpoint. Rejects with an `UpstreamError` if no pinned key signed the answer,
   * and then forgets earlier answers too.
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

  /** Asks the resolver, with a timeout even for a resolver that ignores its signal. */
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
    // The signature may have expired since.
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

/** No resolver: every name fails to resolve. */
export const NO_NAMES: NameResolver = {
  resolve: async () => {
    throw new BinderyError('IDENTITY_UNRESOLVED', { detail: 'nothing here resolves names' });
  },
  distrust: () => 'nothing here verifies signatures',
};

/** `AI://Acme@somewhere` becomes `ai://acme`. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/@.*$/, '');
}
