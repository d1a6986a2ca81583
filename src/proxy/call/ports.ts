import type { Surface } from '../../contract/approval-surfaces.ts';
import type { CancelSignal } from '../../contract/cancellation.ts';
import type { Redactor } from '../../contract/redact.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import type { ArgumentFiles } from '../../gateway/policy/argument-places.ts';
import type { PolicyLayer } from '../../gateway/policy/decide.ts';
import type { CallUpstream, Upstream } from '../../wire/upstream.ts';
import type { Client } from '../message/client.ts';

/** Chooses the connection for a client: a shared one, or one of its own. */
export interface Connections {
  /** Returns a promise only if it has to wait. */
  connection(server: string, client: Client, signal: CancelSignal): Promise<CallUpstream> | CallUpstream;
  /** The connections that are open for this client now. */
  open(client: {
    readonly key: string;
    readonly caller: string;
  }): readonly { readonly server: string; readonly upstream: Upstream }[];
  /** Whether a connection serves, or served, only one client. */
  isOwn(upstream: CallUpstream): boolean;
  /** Whether each caller has a connection of its own to a server; absent: no. */
  isPerCaller?(server: string): boolean;
  /** Closes the connections that only a disconnected client used. */
  release(key: string): void;
  /** The client closed its last stream and may be gone: evict its connections first. */
  left(key: string): void;
}

export interface AuditLog {
  /** Resolves when the entry is durable. An end entry does not name its server, so `server` does. */
  append(entry: AuditEntry, server?: string): Promise<void>;
}

/** Writes audit records of calls. */
export interface RecordPorts {
  readonly audit: AuditLog;
  /** Stores the raw arguments of a call, encrypted; absent unless configured. */
  readonly keepRaw?: (callId: string, args: unknown) => void;
  /** Notes the trace that a call names in its `_meta`; absent unless spans are exported. */
  readonly noteTrace?: ((callId: string, meta: unknown) => void) | undefined;
  /** Masks secrets of all servers; `of` masks those of one server. */
  readonly redactor: Redactor & { of(server: string): Redactor };
  /** Whether a server is built into Bindery. */
  isBuiltin?(server: string): boolean;
  newCallId(): string;
  /** RFC 3339. */
  now(): string;
}

/** Tells what policy and config allow. */
export interface PolicyPorts {
  policyLayers(profile: string): readonly PolicyLayer[];
  /** The files that a server's programs see for a client. Policy judges paths in arguments by them. */
  filesOf(server: string, client: Pick<Client, 'capabilities'>): ArgumentFiles;
  /** Whether a profile shows its only server unchanged and adds nothing. */
  isBare(profile: string): boolean;
  /** The surfaces on which the config allows people to approve calls of this client. */
  approvalSurfaces(client: Pick<Client, 'caller' | 'profile'>): readonly Surface[];
}
