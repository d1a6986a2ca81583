import { type IncomingHttpHeaders, IncomingMessage, type ServerResponse } from 'node:http';
import type { Log } from '../../contract/ports.ts';
import type { Gateway } from '../call/gateway.ts';
import type { PlainPost } from '../fast-path/plain-posts.ts';
import type { ChangeFeed } from '../lists/change-feed.ts';
import type { Client, ClientRequest, ClientResponse } from '../message/client.ts';
import type { Session, SessionTable } from '../sessions/session-table.ts';
import type { EdgeHead, EdgeResponse } from './edge-exchange.ts';

/** The caller that a credential identifies; `local` if none is required. */
export interface Caller {
  readonly name: string;
  /** Profiles that the credential is bound to; undefined: all. */
  readonly profiles?: readonly string[];
  /** When the credential expires, in milliseconds since 1970; undefined: never. */
  readonly until?: number;
  /** Aborted when the credential is revoked before it expires. */
  readonly over?: AbortSignal;
  /** The node that forwarded the request and vouches for the caller. */
  readonly fromNode?: string;
}

/** The edge's dependencies: access control and other nodes. */
export interface EdgeAccess {
  /** Throws an `RpcFailure` with status 401 or 403 if the caller has no access. Returns a promise only if it has to wait. */
  authenticate(headers: IncomingHttpHeaders, profile: string): Caller | Promise<Caller>;
  acceptsHost(host: string | undefined, origin: string | undefined): boolean;
  /** A client cancelled one of its requests; it may run in another process. */
  onCancelled?(session: string, requestId: unknown): void;
  /** Forwards requests that this process does not serve. */
  readonly relay?: Relay;
  /** Absent if this node is the only one. */
  readonly nodes?: EdgeNodes | undefined;
}

export interface HttpEdgeOptions extends EdgeAccess {
  readonly gateway: Gateway;
  readonly sessions: SessionTable;
  readonly feed: ChangeFeed;
  readonly log: Log;
  isDraining(): boolean;
}

/** The way to the primary process, which serves everything. */
export interface Relay {
  servesHere(client: Client, request: ClientRequest): boolean;
  /** Forwards a request; `body` is given if it was read already. */
  pass(request: IncomingMessage, response: ServerResponse, body?: Uint8Array): void;
}

/** One request to `/mcp` or `/mcp/<profile>` with a known caller. */
export interface EdgeRequest {
  readonly request: EdgeHead;
  readonly response: EdgeResponse;
  readonly profile: string;
  readonly caller: Caller;
}

/** A request that can be forwarded to another process or node. */
export interface PassableRequest extends EdgeRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type HttpEdge = (request: IncomingMessage | PlainPost, response: EdgeResponse, profile: string) => void;

/** What the HTTP edge needs from the other nodes. Each method fails with `STORE_UNAVAILABLE` if it cannot do its work now. */
export interface EdgeNodes {
  /** Loads what other nodes know of a session, before this node serves it for the first time. */
  load(sessionId: unknown): Promise<void>;
  /** A session began here. */
  begun(session: Session): Promise<void>;
  /** Ends a session at every node. */
  end(session: Session): Promise<void>;
  /** Forwards a request that another node has to serve; false if this node has to. */
  passOn(edge: PassableRequest, client: Client, request: ClientRequest): Promise<boolean>;
  /** Delivers a client's answer to the node that asked. */
  answer(session: string, response: ClientResponse): Promise<undefined>;
  /** Cancels a request that does not run here. */
  cancel(session: string, requestId: unknown): Promise<undefined>;
}

/** Whether Node's HTTP server read the request. */
export function isPassable(edge: EdgeRequest): edge is PassableRequest {
  return edge.request instanceof IncomingMessage;
}
