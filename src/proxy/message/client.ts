import type { CancelSignal } from '../../contract/cancellation.ts';
import type { BinderyError } from '../../contract/errors.ts';
import type { JsonObject, MessageId } from '../../contract/json.ts';
import type { Span } from '../../wire/json-scan.ts';
import type { CallOrigin } from '../../wire/upstream.ts';

/** Who is being served: one 2025 session, one stdio connection, or one 2026 request. */
export interface Client {
  readonly era: '2025' | '2026';
  readonly protocolVersion: string;
  readonly profile: string;
  readonly caller: string;
  /** Random part of the session id; undefined for a 2026 client over HTTP. */
  readonly session: string | undefined;
  readonly info: { readonly name: string; readonly version: string } | undefined;
  /** What the client declared; nothing else is offered to servers on its behalf. */
  readonly capabilities: JsonObject;
  /** Requests with the same key share upstream sessions of their own. */
  readonly key: string;
  /** The lowest log level that it gets, where it named one: in a request of 2026, or by `logging/setLevel` of 2025. */
  logLevel?: string | undefined;
}

/** The exchange that carries one request of a client. */
export interface Exchange {
  /** Ends when the client cancels the request or goes away. */
  readonly signal: CancelSignal;
  /** Aborted when the client can no longer get the answer. A 2025 client that lost its connection has not cancelled, but it has left. */
  left(): CancelSignal;
  /** Sends a message before the answer, on the request's own stream. */
  send(message: Uint8Array): void;
  /** Asks the client and gives its result; rejects with an `RpcFailure`. */
  ask(method: string, params: JsonObject, signal: CancelSignal): Promise<JsonObject>;
  /** Where the request came from; absent where it came from this machine, without HTTP. */
  origin?(): CallOrigin;
  /** Sets a header of the HTTP answer, where there is one. */
  setHeader(name: string, value: string): void;
  /** The request is recorded as this call. */
  noteCall?(callId: string): void;
}

/** A request of a client, with its bytes and the places of what is passed on. */
export interface ClientRequest {
  readonly kind: 'request';
  readonly id: MessageId;
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly bytes: Uint8Array;
  readonly spans: RequestSpans;
  /** The arguments exceed a bound, and were left out. */
  readonly oversized?: BinderyError;
}

/** Where the parts of a request stand in its bytes. */
export interface RequestSpans {
  readonly id: Span;
  /** The members of `params` that the method defines, in the order in which they stand there; undefined without `params`. */
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
