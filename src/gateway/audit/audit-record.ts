/** What is recorded: calls of clients, and what people and the system do. */
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
  readonly layer?: string;
  readonly file?: string;
  readonly line?: number;
}

/** What is known when a call begins. */
export interface AuditBegin {
  readonly caller?: string;
  readonly user?: string;
  readonly client?: { readonly name: string; readonly version: string };
  readonly profile?: string;
  readonly session?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly name?: string;
  readonly via?: string;
  /** Masked. */
  readonly arguments?: unknown;
  /** Of the unmasked arguments. */
  readonly arguments_sha256?: string;
  readonly decision?: 'allow' | 'deny' | 'approval';
  readonly rule?: RuleReference;
  readonly approval_id?: string;
  readonly approver?: string;
  readonly trace_id?: string;
}

/** What is known when it has ended. */
export interface AuditEnd {
  readonly outcome?: Outcome;
  readonly result_type?: string;
  readonly result_bytes?: number;
  readonly result_sha256?: string;
  readonly queue_us?: number;
  readonly upstream_us?: number;
  readonly total_us?: number;
}

/** What the records of people and of the system add. */
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

/** An entry before it is chained. Members that do not apply are absent, never null; numbers are integers. */
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
