import type { IncomingHttpHeaders } from 'node:http';
import { Cancellation, type CancelSignal } from '../../contract/cancellation.ts';
import type { CallOrigin } from '../../wire/upstream.ts';
import { whenExpired } from './when-expired.ts';

/** The parts of a request that the edge reads. */
export interface EdgeHead {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly socket?: { readonly remoteAddress?: string | undefined };
}

/** Calls back when a response is closed, or at once if it already is: the event fires only once. */
export function whenClosed(response: EdgeResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.once('close', listener);
}

/** Aborted when the client disconnects before its answer, or with its session. Created on first use, since most requests never need it. */
export function leavingOf(response: EdgeResponse, session: CancelSignal): () => CancelSignal {
  let left: Cancellation | undefined;
  return () => {
    if (left) return left;
    const leaving = new Cancellation();
    left = leaving;
    const leave = () => leaving.abort(new Error('the client left'));
    if (session.aborted) leave();
    session.addEventListener('abort', leave);
    whenClosed(response, () => {
      session.removeEventListener('abort', leave);
      if (!response.writableEnded) leave();
    });
    return leaving;
  };
}

/** The subset of Node's response that the edge uses. A plain post has its own implementation. */
export interface EdgeResponse {
  readonly destroyed: boolean;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  /** Bytes that are not sent yet. */
  readonly writableLength: number;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number, headers?: Record<string, string | number>): EdgeResponse;
  flushHeaders(): void;
  write(chunk: string | Uint8Array, done?: () => void): unknown;
  end(chunk: string, encoding: 'latin1'): unknown;
  end(chunk?: Uint8Array, done?: () => void): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
  /** The request and its connection. */
  readonly req: { readonly socket: { destroy(): unknown } };
}

/** The notification by which `bindery stdio` tells the gateway that its client has closed its input. */
export const INPUT_ENDED = 'notifications/bindery/input_ended';
/** Identifies the client of requests without a session. `bindery stdio` generates a random value. */
export const CLIENT_HEADER = 'bindery-client';

/** The header in which a worker tells the primary the address of the client. */
export const PEER_HEADER = 'x-bindery-peer';

export function originOf({ headers, socket }: EdgeHead): CallOrigin {
  const header = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  // A Unix socket has no peer address: our worker sends it in a header.
  return { peerAddress: socket?.remoteAddress ?? header(PEER_HEADER), header };
}

/**
 * Whether a page of another origin (for example from another port of this machine) sends a request without a credential. Browsers set
 * `Sec-Fetch-Site`, and no page can change it.
 */
export function isForeignPage(header: (name: string) => string | undefined): boolean {
  const site = header('sec-fetch-site');
  return (site === 'cross-site' || site === 'same-site') && header('authorization') === undefined;
}

/** Ends a long-lived stream when the credential that opened it expires or is revoked. */
export function endWhenExpired(response: EdgeResponse, until: number, over?: AbortSignal): void {
  const holding = over ? { until, over } : { until };
  whenClosed(
    response,
    whenExpired(holding, () => void response.end()),
  );
}
