import { Agent } from 'undici';

/** The pooled keep-alive connections of a host. Deadlines belong to requests, so the pool has none but for connecting. */
export function createHttpPool(): Agent {
  return new Agent({
    connect: { timeout: 10_000 },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    // Standing streams must not hold back requests, so the number of sockets has no bound here.
    connections: null,
    pipelining: 1,
  });
}
