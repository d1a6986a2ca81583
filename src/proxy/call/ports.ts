import type { CancelSignal } from '../../contract/cancellation.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import type { CallUpstream, Upstream } from '../../wire/upstream.ts';
import type { Client } from '../message/client.ts';

/** Which connection serves a client: a shared one, or one of its own. */
export interface Connections {
  /** A promise only where it has to wait. */
  connection(server: string, client: Client, signal: CancelSignal): Promise<CallUpstream> | CallUpstream;
  /** The connections that are open for this client now. */
  open(client: {
    readonly key: string;
    readonly caller: string;
  }): readonly { readonly server: string; readonly upstream: Upstream }[];
  /** Whether a connection is, or was, of one client alone. */
  isOwn(upstream: CallUpstream): boolean;
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
