import type { Agent, Dispatcher } from 'undici';
import { lateLibrary } from '../../contract/late-library.ts';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { WirePool, type WireRequest } from './wire-pool.ts';

const undici = lateLibrary<typeof import('undici')>('undici');

/** The pooled keep-alive connections of a host. */
export function createHttpPool(): Dispatcher {
  return new HttpPool() as unknown as Dispatcher;
}

/** Requests over plain HTTP go by wires of our own; TLS by undici, which is there when first needed. */
class HttpPool {
  readonly #wires = new WirePool();
  #agent: Agent | undefined;

  dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const isPlain = typeof options.origin === 'string' && options.origin.startsWith('http:');
    const isKnown = options.body === null || options.body instanceof Uint8Array;
    if (!isPlain || !isKnown) return this.#others().dispatch(options, handler);
    this.#wires.dispatch(options as unknown as WireRequest, handler);
    return true;
  }

  async close(): Promise<void> {
    this.#wires.destroy();
    await this.#agent?.close();
  }

  async destroy(): Promise<void> {
    this.#wires.destroy();
    await this.#agent?.destroy();
  }

  #others(): Agent {
    // Deadlines belong to requests, so the pool has none but for connecting.
    this.#agent ??= new (undici().Agent)({
      connect: { timeout: LIMITS.connectTimeoutMs },
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: LIMITS.keepAliveMs,
      // Standing streams must not hold back requests, so the number of sockets has no bound here.
      connections: null,
      pipelining: 1,
    });
    return this.#agent;
  }
}
