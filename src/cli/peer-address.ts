import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Address of the socket behind a request that the Node server hands to the app. */
export function peerAddress(context: Pick<Context, 'env'>): string | undefined {
  return (context.env as Partial<HttpBindings> | undefined)?.incoming?.socket.remoteAddress;
}
