import type { CancelSignal } from '../../contract/cancellation.ts';
import type { BinderyError } from '../../contract/errors.ts';
import type { JsonObject, MessageId } from '../../contract/json.ts';
import type { Span } from '../../wire/json-scan.ts';
import type { CallOrigin } from '../../wire/upstream.ts';

/** The client: one 2025 session, one stdio connection, or one 2026 request. */
export interface Client {
  readonly era: '2025' | '2026';
  readonly protocolVersion: string;
  readonly profile: string;
  readonly caller: string;
  /** Random part of the session id; undefined for a 2026 client over HTTP. */
  readonly session: string | undefined;
  readonly info: { readonly name: string; readonly version: string } | undefined;
  /** Declared capabilities; nothing else is offered to servers on the client's behalf. */
  readonly capabilities: JsonObject;
  /** Requests with the same key share own connections to servers. */
  readonly key: string;
  /** The lowest log level that the client receives, if it set one: in a 2026 request, or by `logging/setLevel` in 2025. */
  logLevel?: string | undefined;
}

/** The exchange that carries one request of a client. */
export interface Exchange {
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: CancelSignal;
  /** Aborted when the client can no longer receive the answer. A 2025 client that lost its connection has left, but not cancelled. */
  left(): CancelSignal;
  /** Sends a message before the answer, on the request's own stream. */
  send(message: Uint8Array): void;
  /** Asks the client and resolves with its result; rejects with an `RpcFailure`. */
  ask(method: string, params: JsonObject, signal: CancelSignal): Promise<JsonObject>;
  /** The origin of the request; absent if it came from this machine without HTTP. */
  origin?(): CallOrigin;
  /** Sets a header of the HTTP answer, if there is one. */
  setHeader(name: string, value: string): void;
  /** Reports the call id under which the request is recorded. */
  noteCall?(callId: string): void;
}

/** A client's request, with its bytes and the spans of the parts that are forwarded. */
export interface ClientRequest {
  readonly kind: 'request';
  readonly id: MessageId;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly bytes: Uint8Array;
  readonly spans: RequestSpans;
  /** Set if the arguments exceed a bound; they were left out. */
  readonly oversized?: BinderyError;
}

/** The byte spans of the parts of a request. */
export interface RequestSpans {
  readonly id: Span;
  /** The members of `params` that the method defines, in their order in the text; undefined without `params`. */
  readonly params: ReadonlyMap<string, Span> | undefined;
  readonly progressToken: Span | undefined;
}

export interface ClientNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject | undefined;
}

/** A client's answer to a question of ours. */
export interface ClientResponse {
  readonly kind: 'response';
  readonly id: MessageId;
  readonly result: JsonObject | undefined;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
}

export type ClientMessage = ClientRequest | ClientNotification | ClientResponse;
