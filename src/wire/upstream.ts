import type { CancelSignal } from '../contract/cancellation.ts';
import type { IncomingRequest, JsonObject, MessageId, NotificationMessage, RequestMessage } from '../contract/json.ts';
import type { Envelope } from './messages.ts';

/** 2025: `initialize` and sessions (2025-11-25 and older). 2026: `server/discover` and `_meta` on each request. */
export type Era = '2025' | '2026';

/** `sse` is the HTTP+SSE transport of 2024-11-05, used where nothing newer answers. */
export type TransportKind = 'stdio' | 'http' | 'sse';

export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly [member: string]: unknown;
}

/**
 * A connection to an MCP server as calls need it, whatever its transport and revision; a room of Bindery is one as well.
 *
 * `request` fills in `_meta`, headers and the progress token, answers what the server asks and gives the result.
 * `requestRaw` is the level of the gateway: bytes out, bytes in, nothing decoded but the envelope.
 */
export interface CallUpstream {
  readonly transport: TransportKind;
  readonly era: Era;
  readonly protocolVersion: string;
  readonly serverInfo: JsonObject | undefined;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  /** The 2025 server issued a session id: its state belongs to this connection alone. */
  readonly sessionBound: boolean;
  readonly closed: boolean;

  /** An id that no other request on this connection has; `requestRaw` needs one in its bytes. */
  nextId(): number;

  /** Sends a request and gives its `result`. Rejects with an `UpstreamError`. */
  request(message: RequestMessage, options?: RequestOptions): Promise<JsonObject>;

  /** Sends the bytes of a request as they are and gives the bytes of its response as they came. */
  requestRaw(request: RawRequest, options?: RawRequestOptions): Promise<RawAnswer>;

  notify(message: NotificationMessage): Promise<void>;

  /** 2026 only: opens `subscriptions/listen`; notifications arrive as events. Opened again after a loss until closed. */
  listen(filter: SubscriptionFilter): Subscription;
}

/** A live connection with what its owner needs to keep, watch and end it. */
export interface Upstream extends CallUpstream {
  readonly serverInfo: Implementation | undefined;
  /** The session that the server issued, as another process needs it to go on with it. */
  readonly session: ContinuedSession | undefined;
  /** Whether a request is under way that will end by itself. */
  readonly busy: boolean;
  /** Whether a call runs: a request during which the server may ask, log or report. */
  readonly isCalling: boolean;
  /**
   * A call was given up, by its client or its deadline, and is not answered, or the server asked something when its calls had ended:
   * it may ask on behalf of a call that is over.
   */
  readonly isForsaken: boolean;

  /** Closes once no request runs any more: after the grace at the latest, at once where somebody is in a hurry. */
  closeWhenIdle(graceMs: number, hurry?: AbortSignal): Promise<void>;
  /** Ends the connection in good order: session DELETE, or stdin close, SIGTERM, SIGKILL. Idempotent. */
  close(): Promise<void>;
  /** Whether the server's session outlives this connection, for whoever goes on with it; else it ends with it. */
  keepSession(isKept: boolean): void;

  /** Notifications that belong to no running request (or to one without a handler). */
  on(event: 'notification', listener: (notification: NotificationMessage) => void): this;
  /** The connection is gone; never fires after `close()` was called. */
  on(event: 'close', listener: (error: UpstreamError) => void): this;
  /** No call runs any more. */
  on(event: 'idle', listener: () => void): this;
  /** The connection is over, by itself or because it was closed. */
  on(event: 'end', listener: () => void): this;
  off(event: 'notification', listener: (notification: NotificationMessage) => void): this;
  off(event: 'close', listener: (error: UpstreamError) => void): this;
  off(event: 'idle', listener: () => void): this;
}

/** A session at a 2025 server over HTTP, and what was agreed in it. */
export interface ContinuedSession {
  readonly id: string;
  readonly protocolVersion: string;
  readonly serverInfo?: Implementation | undefined;
  readonly capabilities: JsonObject;
  readonly instructions?: string | undefined;
}

/** A session that several processes use. */
export interface KeptSession {
  /** The one to go on with, where another process began it. */
  readonly continues?: ContinuedSession | undefined;
  /** The one that another process began since the server forgot this one. */
  newerThan(lost: string): Promise<ContinuedSession | undefined>;
  /** The server forgot the session and issued another one, which is used once this resolves. */
  renewed(session: ContinuedSession): Promise<void>;
}

export interface Deadlines {
  /** How long without an answer or progress. */
  readonly timeoutMs?: number;
  /** How long in all, whatever progress says. */
  readonly maxTimeoutMs?: number;
}

interface CommonOptions extends Deadlines {
  readonly signal?: CancelSignal;
  /** Notifications that came on this request's own stream, progress of other requests excepted; decoded, and as they came. */
  readonly onNotification?: (notification: NotificationMessage, bytes: Uint8Array) => void;
  /** What the server asks while this request runs; it goes to the newest running request that has a handler. */
  readonly onServerRequest?: (request: IncomingRequest, signal: AbortSignal) => Promise<JsonObject>;
  /**
   * `own`: nobody else has calls on this connection, so lines of the log that came outside of any stream are this request's as well.
   * `shared`: others do, so it takes only what came on its own stream. Default: questions that came outside of any stream, and no log.
   */
  readonly scope?: 'own' | 'shared' | undefined;
}

export interface RequestOptions extends CommonOptions {
  readonly onProgress?: (progress: Progress) => void;
  /** Further `_meta` members (trace context, log level). */
  readonly meta?: JsonObject;
  /** The tool's input schema, for `Mcp-Param-*`; else that of the remembered catalogue. */
  readonly inputSchema?: unknown;
  /** False: an `input_required` result is returned as it is. Default true: the callbacks answer it. */
  readonly answerInput?: boolean;
}

export interface RawRequest {
  /** A JSON-RPC request in UTF-8 without line breaks; era and `_meta` fit this connection. */
  readonly bytes: Uint8Array;
  /** The id that stands in the bytes. */
  readonly id: MessageId;
  readonly method: string;
  /** `params.name` (tools, prompts) or `params.uri` (resources): the header `Mcp-Name` of 2026. */
  readonly name?: string;
  /** `Mcp-Param-*` headers, from `paramHeaders()` of the wire. */
  readonly paramHeaders?: Readonly<Record<string, string>>;
  /** The progress token that stands in the bytes; with it progress prolongs the deadline. */
  readonly progressToken?: MessageId;
}

export interface RawRequestOptions extends CommonOptions {
  /** Progress as it came, in order, all of it before the answer. */
  readonly onProgress?: (bytes: Uint8Array) => void;
  /** Answers larger than this reject with `too_large`; the rest is not read. */
  readonly answerBytesMax?: number;
  /** Where the call came from; a built-in server counts by it, and no other hears of it. */
  readonly origin?: () => CallOrigin;
}

/** Where a call came from, for a server of ours that counts by address. */
export interface CallOrigin {
  /** Address of the socket. */
  readonly peerAddress: string | undefined;
  /** A header of the request, by its name in lower case: a proxy that is trusted says in one whose call it passes on. */
  header(name: string): string | undefined;
}

export interface RawAnswer {
  /** The whole JSON-RPC response. */
  readonly bytes: Uint8Array;
  /** Where id, result and error stand in the bytes. */
  readonly envelope: Envelope;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface SubscriptionFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
}

export interface Subscription {
  close(): void;
}

/**
 * Why a request or a connection failed. Switch on `kind`:
 * `refused` cannot connect (DNS, TLS, spawn, refused) · `lost` connection or process ended in mid-request · `http` an HTTP
 * status that is no answer · `bad_answer` not JSON-RPC, wrong id, wrong shape · `rpc` the server's JSON-RPC error, unchanged ·
 * `timed_out` · `cancelled` · `too_large` · `auth` 401/403 that could not be settled · `rate_limited` 429 · `busy` no
 * further connection may be opened · `unsupported` no common revision · `closed` this side closed it.
 */
export type UpstreamErrorKind =
  | 'refused'
  | 'lost'
  | 'http'
  | 'bad_answer'
  | 'rpc'
  | 'timed_out'
  | 'cancelled'
  | 'too_large'
  | 'auth'
  | 'rate_limited'
  | 'busy'
  | 'unsupported'
  | 'closed';

export interface UpstreamErrorMembers {
  /** `rpc`: the server's error object. */
  readonly rpc?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** `http`, `auth`, `rate_limited`. */
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** `auth`: a person can settle it by signing in. */
  readonly signIn?: boolean;
  /** `auth` with 403: the scope that the call lacks; other calls go on with the token that there is. */
  readonly scope?: string;
  readonly cause?: unknown;
}

/** The one failure of a connection. Its message is masked and may be shown. */
export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind;
  readonly rpc: UpstreamErrorMembers['rpc'];
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly signIn: boolean;
  readonly scope: string | undefined;

  constructor(kind: UpstreamErrorKind, message: string, members: UpstreamErrorMembers = {}) {
    super(message, members.cause === undefined ? undefined : { cause: members.cause });
    this.name = 'UpstreamError';
    this.kind = kind;
    this.rpc = members.rpc;
    this.status = members.status;
    this.retryAfterMs = members.retryAfterMs;
    this.signIn = members.signIn ?? false;
    this.scope = members.scope;
  }
}

export function isUpstreamError(thrown: unknown): thrown is UpstreamError {
  return thrown instanceof UpstreamError;
}

/** Whether a failure counts against the server in its circuit breaker: nothing came back, or nothing that makes sense. */
export function isServerFault({ kind, status }: UpstreamError): boolean {
  if (kind === 'http') return status === undefined || status >= 500;
  return ['refused', 'lost', 'bad_answer', 'timed_out'].includes(kind);
}

/** Whether a client declared that servers may ask it anything at all. */
export function canBeAsked({ capabilities }: { readonly capabilities: JsonObject }): boolean {
  return (
    capabilities.elicitation !== undefined || capabilities.sampling !== undefined || capabilities.roots !== undefined
  );
}
