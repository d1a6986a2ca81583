import type { Surface } from '../../contract/approval-surfaces.ts';
import type { CancelSignal } from '../../contract/cancellation.ts';
import type { Redactor } from '../../contract/redact.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import type { ArgumentFiles } from '../../gateway/policy/argument-places.ts';
import type { PolicyLayer } from '../../gateway/policy/decide.ts';
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
  /** Whether only one client uses, or used, a connection. */
  isOwn(upstream: CallUpstream): boolean;
  /** Closes what was opened only for a client that has left. */
  release(key: string): void;
  /** The client closed its last stream and may have left: its connections are the first to be evicted. */
  left(key: string): void;
}

/** The audit log. */
export interface AuditLog {
  /** Resolves when the entry is durable. `server` names the server of an end, which does not name it itself. */
  append(entry: AuditEntry, server?: string): Promise<void>;
}

/** Writes what is recorded of calls. */
export interface RecordPorts {
  readonly audit: AuditLog;
  /** Stores the raw arguments of a call, encrypted; absent unless configured. */
  readonly keepRaw?: (callId: string, args: unknown) => void;
  /** Notes the trace that a call names in its `_meta`; absent unless spans are exported. */
  readonly noteTrace?: ((callId: string, meta: unknown) => void) | undefined;
  /** Masks secrets of all servers; `of` masks those of one server. */
  readonly redactor: Redactor & { of(server: string): Redactor };
  /** Whether a server is a room of Bindery. */
  isBuiltin?(server: string): boolean;
  newCallId(): string;
  /** RFC 3339. */
  now(): string;
}

/** Says what policy and config allow. */
export interface PolicyPorts {
  policyLayers(profile: string): readonly PolicyLayer[];
  /** The files that a server's programs see for a client: policy judges paths in arguments by them. */
  filesOf(server: string, client: Pick<Client, 'capabilities'>): ArgumentFiles;
  /** Whether a profile shows its one server as it is, and adds nothing. */
  isBare(profile: string): boolean;
  /** The surfaces on which the config lets people approve calls of this client. */
  approvalSurfaces(client: Pick<Client, 'caller' | 'profile'>): readonly Surface[];
}
