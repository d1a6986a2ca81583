/** What is recorded: calls of clients, actions of people, and events of the system. */
export type AuditKind = 'call' | 'read' | 'prompt' | 'search' | 'admin' | 'system';

export type AuditPhase = 'begin' | 'end' | 'single';

export type Outcome =
  | 'ok'
  | 'tool_error'
  | 'denied'
  | 'rate_limited'
  | 'breaker_open'
  | 'timed_out'
  | 'cancelled'
  | 'upstream_error'
  | 'interrupted';

export interface RuleReference {
  readonly rule: string;
  readonly layer?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** Members that are known when a call begins. */
export interface AuditBegin {
  readonly caller?: string | undefined;
  readonly user?: string | undefined;
  readonly client?: { readonly name: string; readonly version: string } | undefined;
  readonly profile?: string | undefined;
  readonly session?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly name?: string | undefined;
  readonly via?: string | undefined;
  /** Why the arguments were not checked against the tool's schema: `steps`, `pattern` or `schema`. */
  readonly unchecked?: 'steps' | 'pattern' | 'schema' | undefined;
  /** Masked. */
  readonly arguments?: unknown;
  /** Of the unmasked arguments. */
  readonly arguments_sha256?: string | undefined;
  /** The client's answers to questions of the server, by the keys of the questions. Masked. */
  readonly answers?: unknown;
  /** Members of the request's `_meta` that the protocol does not define; absent if none were sent to the server. Masked. */
  readonly meta?: unknown;
  readonly decision?: 'allow' | 'deny' | 'approval' | undefined;
  readonly rule?: RuleReference | undefined;
  readonly approval_id?: string | undefined;
  readonly approver?: string | undefined;
  readonly trace_id?: string | undefined;
}

/** Members that are known when the call has ended. */
export interface AuditEnd {
  readonly outcome?: Outcome | undefined;
  readonly result_type?: string | undefined;
  readonly result_bytes?: number | undefined;
  readonly result_sha256?: string | undefined;
  /** The structured content violates the tool's output schema; the answer was forwarded anyway. */
  readonly schema_mismatch?: true | undefined;
  /** Time in the gateway before sending, without the time that a person took to approve. */
  readonly queue_us?: number | undefined;
  readonly upstream_us?: number | undefined;
  /** Total time, including the time that a person took. */
  readonly total_us?: number | undefined;
}

/** Additional members for actions of people and events of the system. */
export interface AuditAction {
  readonly action?: string;
  readonly anchors?: Readonly<Record<string, { readonly seq: number; readonly hash: string }>>;
  readonly checkpoint?: Checkpoint;
}

export interface Checkpoint {
  readonly through_seq: number;
  readonly through_hash: string;
  readonly count: number;
  readonly reason: 'age' | 'size';
}

/** An unchained entry. Members that do not apply are absent or undefined, never null; numbers are integers. */
export interface AuditEntry extends AuditBegin, AuditEnd, AuditAction {
  readonly kind: AuditKind;
  readonly phase: AuditPhase;
  /** UUIDv7; joins `begin` and `end`. */
  readonly call_id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly time: string;
}

/** A chained record, without its own hash. */
export interface AuditRecord extends AuditEntry {
  readonly v: 1;
  readonly chain: string;
  readonly seq: number;
  readonly prev_hash: string;
}
