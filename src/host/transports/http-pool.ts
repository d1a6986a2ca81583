import { Agent, type Dispatcher } from 'undici';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { WirePool, type WireRequest } from './wire-pool.ts';

/** The pooled keep-alive connections of a host. Deadlines belong to requests, so the pool has none but for connecting. */
export function createHttpPool(): Agent {
  return new HttpPool({
    connect: { timeout: LIMITS.connectTimeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: LIMITS.keepAliveMs,
    // Standing streams must not hold back requests, so the number of sockets has no bound here.
    connections: null,
    pipelining: 1,
  });
}

/** Messages over plain HTTP go by wires of our own; TLS and everything else by undici. */
class HttpPool extends Agent {
  readonly #wires = new WirePool();

  override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const isPlain = typeof options.origin === 'string' && options.origin.startsWith('http:');
    if (!isPlain || !(options.body instanceof Uint8Array)) return super.dispatch(options, handler);
    this.#wires.dispatch(options as unknown as WireRequest, handler);
    return true;
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | void {
    this.#wires.destroy();
    return callback ? super.close(callback) : super.close();
  }

  override destroy(): Promise<void>;
  override destroy(error: Error | null): Promise<void>;
  override destroy(callback: () => void): void;
  override destroy(error: Error | null, callback: () => void): void;
  override destroy(...args: unknown[]): Promise<void> | void {
    this.#wires.destroy();
    return super.destroy(...(args as [Error | null]));
  }
}
