import type { Agent, Dispatcher } from 'undici';
import { lateLibrary } from '../../libraries/late-library.ts';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { credentialOf, WirePool, type WireRequest } from './wire-pool.ts';

const undici = lateLibrary<typeof import('undici')>('undici');

/** The connections of one entry of the configuration. */
export interface EntryPool extends Dispatcher {
  /** No connection that is open now carries another request: something came on one of them that was no answer. */
  retire(): void;
}

/**
 * The pooled keep-alive connections of a host. They are kept apart by entry and credential: a connection never carries requests of two
 * entries, nor of two credentials, even where both go to one origin.
 */
export class HttpPool {
  readonly #wires = new WirePool();
  readonly #makeAgent: (() => Agent) | undefined;
  readonly #entries = new WeakMap<object, PooledEntry>();
  readonly #agents = new Set<Agent>();
  #count = 0;

  /** `makeAgent` is for addresses that need a check: then every request goes through such an agent. */
  constructor(makeAgent?: () => Agent) {
    this.#makeAgent = makeAgent;
  }

  /** The connections of an entry, which is known by its object. */
  entry(entry: object): EntryPool {
    let known = this.#entries.get(entry);
    if (!known) {
      this.#count += 1;
      known = new PooledEntry(String(this.#count), this.#wires, this.#agents, this.#makeAgent);
      this.#entries.set(entry, known);
    }
    return known as unknown as EntryPool;
  }

  /** Nothing more is sent for this entry; what runs may end. */
  leave(entry: object): void {
    this.#entries.get(entry)?.retire();
    this.#entries.delete(entry);
  }

  async destroy(): Promise<void> {
    this.#wires.destroy();
    await Promise.all([...this.#agents].map((agent) => agent.destroy()));
  }
}

/** Requests over plain HTTP go by wires of our own; TLS by undici, which is there when first needed. */
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

  /** What runs on its connections may end; then they are closed. */
  #retireAgent(): void {
    const agent = this.#current?.agent;
    this.#current = undefined;
    if (!agent) return;
    const forget = () => this.#agents.delete(agent);
    agent.close().then(forget, forget);
  }
}

function newAgent(): Agent {
  // Deadlines belong to requests, so the pool has none but for connecting.
  return new (undici().Agent)({
    connect: { timeout: LIMITS.connectTimeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: LIMITS.keepAliveUnannouncedMs,
    keepAliveMaxTimeout: LIMITS.keepAliveMs,
    maxHeaderSize: LIMITS.headBytesMax,
    // Standing streams must not hold back requests, so the number of sockets has no bound here.
    connections: null,
    pipelining: 1,
  });
}
