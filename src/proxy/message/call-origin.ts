import type { CallOrigin } from '../../wire/upstream.ts';
import type { EdgeHead } from '../http/edge-exchange.ts';

/** In which a worker tells the primary where a request came from. */
export const PEER_HEADER = 'x-bindery-peer';

export function originOf({ headers, socket }: EdgeHead): CallOrigin {
  const header = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  // A Unix socket has no address: there a worker of ours says whose request it passes on.
  return { peerAddress: socket?.remoteAddress ?? header(PEER_HEADER), header };
}
