import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Address of the socket behind a request that the Node server hands to the app. */
export function peerAddress(context: Pick<Context, 'env'>): string | undefined {
  return (context.env as Partial<HttpBindings> | undefined)?.incoming?.socket.remoteAddress;
}

/** A header of such a request: the Node server has them as an object, which costs nothing to look into. */
export function requestHeader(context: Pick<Context, 'env'>, name: string): string | undefined {
  const value = (context.env as Partial<HttpBindings> | undefined)?.incoming?.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
}
