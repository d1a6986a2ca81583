import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { PEER_HEADER } from '../../proxy/http/edge-exchange.ts';

/** Address of the socket behind a request that the Node server hands to the app. */
export function peerAddress(context: Pick<Context, 'env'>): string | undefined {
  const incoming = (context.env as Partial<HttpBindings> | undefined)?.incoming;
  // A Unix socket has no peer address: our worker sends it in a header.
  const told = incoming?.headers[PEER_HEADER];
  return incoming?.socket.remoteAddress ?? (typeof told === 'string' ? told : undefined);
}
