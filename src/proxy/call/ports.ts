import type { CancelSignal } from '../../contract/cancellation.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import type { Envelope } from '../../wire/envelope.ts';
import type { IncomingRequest, JsonObject, MessageId, NotificationMessage, RequestMessage } from '../../wire/json.ts';
import type { CallOrigin } from '../message/call-origin.ts';
import type { Client } from '../message/client.ts';

/** A live connection to a server, as far as the proxy needs one; host implements it. */
export interface UpstreamPort {
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly era: '2025' | '2026';
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject | undefined;
  readonly instructions: string | undefined;
  readonly closed: boolean;
  nextId(): number;
  request(message: RequestMessage, options?: UpstreamRequestOptions): Promise<JsonObject>;
  requestRaw(request: RawRequest, options?: RawOptions): Promise<RawAnswer>;
  notify(message: NotificationMessage): Promise<void>;
  /** 2026: keeps a subscription open; what it brings are events of the connection. */
  listen(filter: { readonly resourceSubscriptions: readonly string[] }): { close(): void };
}

/** The whole response of a server, and where its parts stand. */
export interface RawAnswer {
  readonly bytes: Uint8Array;
  readonly envelope: Envelope;
}

export interface RawRequest {
  readonly bytes: Uint8Array;
  readonly id: MessageId;
  readonly method: string;
  readonly name?: string;
  readonly paramHeaders?: Readonly<Record<string, string>>;
  readonly progressToken?: MessageId;
}

interface CommonOptions {
  readonly signal?: CancelSignal;
  readonly timeoutMs?: number;
  readonly maxTimeoutMs?: number;
  readonly onNotification?: (notification: NotificationMessage, bytes: Uint8Array) => void;
  readonly onServerRequest?: (request: IncomingRequest, signal: AbortSignal) => Promise<JsonObject>;
  /** Whose what is that came outside of any call's stream: this call's, or nobody can say. */
  readonly scope?: 'own' | 'shared' | undefined;
}

export interface RawOptions extends CommonOptions {
  readonly onProgress?: (bytes: Uint8Array) => void;
  readonly answerBytesMax?: number;
  /** Where the call came from; a built-in server counts by it, and no other hears of it. */
  readonly origin?: () => CallOrigin;
}

export interface UpstreamRequestOptions extends CommonOptions {
  readonly onProgress?: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
  readonly meta?: JsonObject;
  readonly inputSchema?: unknown;
  readonly answerInput?: boolean;
}

/** Which connection serves a client: a shared one, or one of its own. */
export interface Connections {
  /** A promise only where it has to wait. */
  connection(server: string, client: Client, signal: CancelSignal): Promise<UpstreamPort> | UpstreamPort;
  /** The connections that are open for this client now. */
  open(client: Client): readonly { readonly server: string; readonly upstream: UpstreamPort }[];
  /** The client is gone: what was opened for it alone is closed. */
  release(key: string): void;
  /** The client closed its last stream and may be gone: what it has is the first to be evicted. */
  left(key: string): void;
}

/** Where attempts are recorded; resolves when the entry is durable. */
export interface AuditLog {
  /** `server` is whose entry it is: an end does not say it. */
  append(entry: AuditEntry, server?: string): Promise<void>;
}

/** A failure of a connection, whatever package threw it. */
export interface UpstreamFailure extends Error {
  readonly kind: string;
  readonly rpc?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** A person's sign-in would settle it. */
  readonly signIn?: boolean;
  /** The scope that this one call lacks. */
  readonly scope?: string | undefined;
}

export function isUpstreamFailure(thrown: unknown): thrown is UpstreamFailure {
  return (
    thrown instanceof Error &&
    thrown.name === 'UpstreamError' &&
    typeof (thrown as { kind?: unknown }).kind === 'string'
  );
}

/** Failures that count against a server: nothing came back, or nothing that makes sense. */
export function isServerFault({ kind, status }: UpstreamFailure): boolean {
  if (kind === 'http') return status === undefined || status >= 500;
  return ['refused', 'lost', 'bad_answer', 'timed_out'].includes(kind);
}
