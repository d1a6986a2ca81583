import type { CancelSignal } from '../contract/cancellation.ts';
import type { IncomingRequest, JsonObject, MessageId, NotificationMessage, RequestMessage } from '../contract/json.ts';
import type { Envelope } from './messages.ts';

/** 2025: `initialize` and sessions (2025-11-25 and older). 2026: `server/discover` and `_meta` on each request. */
export type Era = '2025' | '2026';

/** `sse` is the HTTP+SSE transport of 2024-11-05, used if nothing newer answers. */
export type TransportKind = 'stdio' | 'http' | 'sse';

export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly [member: string]: unknown;
}

/**
 * A connection to an MCP server for calls, independent of transport and revision; a room of Bindery is one as well.
 *
 * `request` adds `_meta`, headers and the progress token, answers the server's questions and returns the result.
 * `requestRaw` is for the gateway: bytes out, bytes in; only the envelope is decoded.
 */
export interface CallUpstream {
  readonly transport: TransportKind;
  readonly era: Era;
  readonly protocolVersion: string;
  readonly serverInfo: JsonObject | undefined;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  /** The 2025 server issued a session id: its state belongs to this connection only. */
  readonly sessionBound: boolean;
  readonly closed: boolean;

  /** A unique id for a request on this connection; `requestRaw` needs one in its bytes. */
  nextId(): number;

  /** Sends a request and resolves with its `result`. Rejects with an `UpstreamError`. */
  request(message: RequestMessage, options?: RequestOptions): Promise<JsonObject>;

  /** Sends the bytes of a request unchanged and resolves with the unchanged bytes of its response. */
  requestRaw(request: RawRequest, options?: RawRequestOptions): Promise<RawAnswer>;

  notify(message: NotificationMessage): Promise<void>;

  /** 2026 only: opens `subscriptions/listen`; notifications arrive as events. Reopened after a loss until closed. */
  listen(filter: SubscriptionFilter): Subscription;
}

/** A live connection with the operations that its owner needs. */
export interface Upstream extends CallUpstream {
  readonly serverInfo: Implementation | undefined;
  /** The session that the server issued, so that another process can continue it. */
  readonly session: ContinuedSession | undefined;
  /** Whether a request is running that will end by itself. */
  readonly busy: boolean;
  /** Whether a call is running: a request during which the server may ask, log or report. */
  readonly isCalling: boolean;
  /**
   * A client or a deadline abandoned a call that is not answered, or the server asked something after its calls had ended. It may
   * still ask on behalf of an ended call.
   */
  readonly hasAbandonedCalls: boolean;

  /** Closes after the last running request ends, or after the grace period, or immediately if `hurry` is aborted. */
  closeWhenIdle(graceMs: number, hurry?: AbortSignal): Promise<void>;
  /** Closes the connection gracefully: session DELETE, or stdin close, SIGTERM, SIGKILL. Idempotent. */
  close(): Promise<void>;
  /** Whether the server's session outlives this connection, so that another process can continue it. */
  keepSession(isKept: boolean): void;

  /** Notifications outside any running request (or for one without a handler). */
  on(event: 'notification', listener: (notification: NotificationMessage) => void): this;
  /** The connection was lost; never emitted after `close()`. */
  on(event: 'close', listener: (error: UpstreamError) => void): this;
  /** The last running call has ended. */
  on(event: 'idle', listener: () => void): this;
  /** The connection ended or was closed. */
  on(event: 'end', listener: () => void): this;
  off(event: 'notification', listener: (notification: NotificationMessage) => void): this;
  off(event: 'close', listener: (error: UpstreamError) => void): this;
  off(event: 'idle', listener: () => void): this;
}

/** A session at a 2025 server over HTTP, and its negotiated values. */
export interface ContinuedSession {
  readonly id: string;
  readonly protocolVersion: string;
  readonly serverInfo?: Implementation | undefined;
  readonly capabilities: JsonObject;
  readonly instructions?: string | undefined;
}

/** A session that several processes use. */
export interface KeptSession {
  /** The session to continue, if another process began it. */
  readonly continues?: ContinuedSession | undefined;
  /** The session that another process began after the server dropped this one. */
  newerThan(lost: string): Promise<ContinuedSession | undefined>;
  /** The server dropped the session and issued another one, which is used after this resolves. */
  renewed(session: ContinuedSession): Promise<void>;
}

export interface Deadlines {
  /** Timeout without an answer or progress. */
  readonly timeoutMs?: number;
  /** Timeout in total, regardless of progress. */
  readonly maxTimeoutMs?: number;
}

interface CommonOptions extends Deadlines {
  readonly signal?: CancelSignal;
  /** Notifications on this request's own stream, except progress of other requests; decoded and as bytes. */
  readonly onNotification?: (notification: NotificationMessage, bytes: Uint8Array) => void;
  /** Questions of the server while this request runs; each goes to the newest running request with a handler. */
  readonly onServerRequest?: (request: IncomingRequest, signal: AbortSignal) => Promise<JsonObject>;
  /**
   * `own`: only this client has calls on the connection, so log lines outside any stream belong to this request as well. `shared`:
   * other clients do, so it takes only messages of its own stream. Default: questions outside any stream, but no log.
   */
  readonly scope?: 'own' | 'shared' | undefined;
}

export interface RequestOptions extends CommonOptions {
  readonly onProgress?: (progress: Progress) => void;
  /** Further `_meta` members (trace context, log level). */
  readonly meta?: JsonObject;
  /** The tool's input schema, for `Mcp-Param-*`; otherwise that of the remembered catalogue. */
  readonly inputSchema?: unknown;
  /** False: an `input_required` result is returned unchanged. Default true: the callbacks answer it. */
  readonly answerInput?: boolean;
}

export interface RawRequest {
  /** A JSON-RPC request in UTF-8 without line breaks; era and `_meta` fit this connection. */
  readonly bytes: Uint8Array;
  readonly id: MessageId;
  readonly method: string;
  /** `params.name` (tools, prompts) or `params.uri` (resources): the header `Mcp-Name` of 2026. */
  readonly name?: string;
  /** `Mcp-Param-*` headers, from `paramHeaders()` of the wire. */
  readonly paramHeaders?: Readonly<Record<string, string>>;
  /** The progress token in the bytes; with it, progress extends the deadline. */
  readonly progressToken?: MessageId;
}

export interface RawRequestOptions extends CommonOptions {
  /** Progress notifications as bytes, in order, all before the answer. */
  readonly onProgress?: (bytes: Uint8Array) => void;
  /** Larger answers reject with `too_large`; the rest is not read. */
  readonly answerBytesMax?: number;
  /** The origin of the call. Only built-in servers use it, for rate limits by address. */
  readonly origin?: () => CallOrigin;
}

/** The origin of a call, for built-in servers that count by address. */
export interface CallOrigin {
  readonly peerAddress: string | undefined;
  /** A header of the request, by lower-case name. A trusted proxy names the client in one. */
  header(name: string): string | undefined;
}

export interface RawAnswer {
  /** The whole JSON-RPC response. */
  readonly bytes: Uint8Array;
  /** The spans of id, result and error in the bytes. */
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
  /** `auth`: a person can resolve it by signing in. */
  readonly signIn?: boolean;
  /** `auth` with 403: the missing scope; other calls continue with the current token. */
  readonly scope?: string;
  readonly cause?: unknown;
}

/** The error of every failed connection or request. Its message is masked and may be shown. */
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

/** Whether a failure counts against the server in its circuit breaker: no answer, or no valid one. */
export function isServerFault({ kind, status }: UpstreamError): boolean {
  if (kind === 'http') return status === undefined || status >= 500;
  return ['refused', 'lost', 'bad_answer', 'timed_out'].includes(kind);
}

/** Whether a client declared that servers may ask it anything. */
export function canBeAsked({ capabilities }: { readonly capabilities: JsonObject }): boolean {
  return (
    capabilities.elicitation !== undefined || capabilities.sampling !== undefined || capabilities.roots !== undefined
  );
}
