import type { EdgeHead } from '../http/edge-exchange.ts';

/** Where a call came from, for a server of ours that counts by address. */
export interface CallOrigin {
  /** Address of the socket. */
  readonly peerAddress: string | undefined;
  /** A header of the request, by its name in lower case: a proxy that is trusted says in one whose call it passes on. */
  header(name: string): string | undefined;
}

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
