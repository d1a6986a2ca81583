import { Agent } from 'undici';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';

/** The pooled keep-alive connections of a host. Deadlines belong to requests, so the pool has none but for connecting. */
export function createHttpPool(): Agent {
  return new Agent({
    connect: { timeout: LIMITS.connectTimeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: LIMITS.keepAliveMs,
    // Standing streams must not hold back requests, so the number of sockets has no bound here.
    connections: null,
    pipelining: 1,
  });
}
