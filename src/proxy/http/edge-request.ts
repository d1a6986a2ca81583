import { type IncomingHttpHeaders, IncomingMessage, type ServerResponse } from 'node:http';
import type { Log } from '../../contract/ports.ts';
import type { Gateway } from '../call/gateway.ts';
import type { PlainPost } from '../fast-path/plain-posts.ts';
import type { ChangeFeed } from '../lists/change-feed.ts';
import type { Client, ClientRequest, ClientResponse } from '../message/client.ts';
import type { Session, SessionTable } from '../sessions/session-table.ts';
import type { EdgeHead, EdgeResponse } from './edge-exchange.ts';

/** The caller by its credential; `local` if none is required. */
export interface Caller {
  readonly name: string;
  /** Profiles that the credential is bound to; undefined: all. */
  readonly profiles?: readonly string[];
  /** When the credential ends, in milliseconds since 1970; undefined: not by itself. */
  readonly until?: number;
  /** Aborted when the credential is revoked before it expires. */
  readonly over?: AbortSignal;
  /** The node that passed the request on, and vouches for the caller. */
  readonly fromNode?: string;
}

/** The parts of the edge that depend on its surroundings: access control and other nodes. */
export interface EdgeAccess {
  /** Throws an `RpcFailure` with status 401 or 403 where the caller may not come in. A promise only where it has to wait. */
  authenticate(headers: IncomingHttpHeaders, profile: string): Caller | Promise<Caller>;
  acceptsHost(host: string | undefined, origin: string | undefined): boolean;
  /** A client cancelled one of its requests; it may run elsewhere. */
  onCancelled?(session: string, requestId: unknown): void;
  /** Who serves what this process does not. */
  readonly relay?: Relay;
  /** Absent where this node is the only one. */
  readonly nodes?: EdgeNodes | undefined;
}

export interface HttpEdgeOptions extends EdgeAccess {
  readonly gateway: Gateway;
  readonly sessions: SessionTable;
  readonly feed: ChangeFeed;
  readonly log: Log;
  isDraining(): boolean;
}

/** The way to the process that serves everything. */
export interface Relay {
  servesHere(client: Client, request: ClientRequest): boolean;
  /** Passes a request on; `body` where it was read already. */
  pass(request: IncomingMessage, response: ServerResponse, body?: Uint8Array): void;
}

/** One request to `/mcp` or `/mcp/<profile>`, once its caller is known. */
export interface EdgeRequest {
  readonly request: EdgeHead;
  readonly response: EdgeResponse;
  readonly profile: string;
  readonly caller: Caller;
}

/** One that can be passed on, to another process or node. */
export interface PassableRequest extends EdgeRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type HttpEdge = (request: IncomingMessage | PlainPost, response: EdgeResponse, profile: string) => void;

/** What the HTTP edge does because there are other nodes. Each fails with `STORE_UNAVAILABLE` where it cannot be done now. */
export interface EdgeNodes {
  /** Learns what other nodes know of a session, before this one serves it for the first time. */
  meet(sessionId: unknown): Promise<void>;
  /** A session began here. */
  begun(session: Session): Promise<void>;
  /** A session ends, at every node. */
  end(session: Session): Promise<void>;
  /** Passes a request on that another node has to serve; false where it is to be served here. */
  passOn(edge: PassableRequest, client: Client, request: ClientRequest): Promise<boolean>;
  /** A client's answer to a question that was not asked here. */
  answer(session: string, response: ClientResponse): Promise<undefined>;
  /** A client cancels a request that does not run here. */
  cancel(session: string, requestId: unknown): Promise<undefined>;
}

/** Whether Node read it. */
export function isPassable(edge: EdgeRequest): edge is PassableRequest {
  return edge.request instanceof IncomingMessage;
}
