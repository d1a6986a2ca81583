import type { Agent, Dispatcher } from 'undici';
import { lateLibrary } from '../../libraries/late-library.ts';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { credentialOf, WirePool, type WireRequest } from './wire-pool.ts';

const undici = lateLibrary<typeof import('undici')>('undici');

/** The connections of one config entry. */
export interface EntryPool extends Dispatcher {
  /** Stops reusing the connections that are open now, because one of them received something that was not its answer. */
  retire(): void;
}

/**
 * The keep-alive connection pool of a host, separated by entry and credential: a connection never carries requests of two entries or two
 * credentials, even to the same origin.
 */
export class HttpPool {
  readonly #wires = new WirePool();
  readonly #makeAgent: (() => Agent) | undefined;
  readonly #entries = new WeakMap<object, PooledEntry>();
  readonly #agents = new Set<Agent>();
  #count = 0;

  /** With `makeAgent` (for addresses that must be checked), every request goes through such an agent. */
  constructor(makeAgent?: () => Agent) {
    this.#makeAgent = makeAgent;
  }

  /** The connections of an entry, identified by its object. */
  entry(entry: object): EntryPool {
    let known = this.#entries.get(entry);
    if (!known) {
      this.#count += 1;
      known = new PooledEntry(String(this.#count), this.#wires, this.#agents, this.#makeAgent);
      this.#entries.set(entry, known);
    }
    return known as unknown as EntryPool;
  }

  /** Closes the connections of this entry after their running requests. */
  leave(entry: object): void {
    this.#entries.get(entry)?.retire();
    this.#entries.delete(entry);
  }

  async destroy(): Promise<void> {
    this.#wires.destroy();
    await Promise.all([...this.#agents].map((agent) => agent.destroy()));
  }
}

/** Plain HTTP uses our own connections; TLS uses undici, which is loaded on first use. */
class PooledEntry {
  readonly #id: string;
  readonly #wires: WirePool;
  readonly #agents: Set<Agent>;
  readonly #makeAgent: (() => Agent) | undefined;
  #current: { readonly agent: Agent; readonly credential: string } | undefined;

  constructor(id: string, wires: WirePool, agents: Set<Agent>, makeAgent: (() => Agent) | undefined) {
    this.#id = id;
    this.#wires = wires;
    this.#agents = agents;
    this.#makeAgent = makeAgent;
  }

  dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const isPlain =
      this.#makeAgent === undefined && typeof options.origin === 'string' && options.origin.startsWith('http:');
    const isKnown = options.body === null || options.body instanceof Uint8Array;
    if (!isPlain || !isKnown) return this.#agentFor(options).dispatch(options, handler);
    this.#wires.dispatch(options as unknown as WireRequest, handler, this.#id);
    return true;
  }

  retire(): void {
    this.#wires.retire(this.#id);
    this.#retireAgent();
  }

  #agentFor({ headers }: Agent.DispatchOptions): Agent {
    const credential = credentialOf((headers ?? {}) as WireRequest['headers']);
    if (this.#current?.credential !== credential) {
      this.#retireAgent();
      this.#current = { agent: (this.#makeAgent ?? newAgent)(), credential };
      this.#agents.add(this.#current.agent);
    }
    return this.#current.agent;
  }

  /** Closes the connections after their running requests. */
  #retireAgent(): void {
    const agent = this.#current?.agent;
    this.#current = undefined;
    if (!agent) return;
    const forget = () => this.#agents.delete(agent);
    agent.close().then(forget, forget);
  }
}

function newAgent(): Agent {
  // Requests have their own deadlines, so the pool limits only connecting.
  return new (undici().Agent)({
    connect: { timeout: LIMITS.connectTimeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: LIMITS.keepAliveUnannouncedMs,
    keepAliveMaxTimeout: LIMITS.keepAliveMs,
    maxHeaderSize: LIMITS.headBytesMax,
    // Long-lived streams must not block requests, so the number of sockets is unlimited here.
    connections: null,
    pipelining: 1,
  });
}
