import { hash } from 'node:crypto';
import type { AuditEntry, AuditRecord, RuleReference } from './audit-record.ts';
import { canonicalJson, isInOrder } from './canonical-json.ts';

/** The last link of a chain. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** The head before the first record. */
export const GENESIS: ChainHead = { seq: 0, hash: '0'.repeat(64) };

/** The node in a chain's name. */
export function nodeOfChain(chain: string): string {
  return chain.slice(0, chain.lastIndexOf('/'));
}

/** A stored record: its exact text (RFC 8785) and its hash. */
export interface Link extends ChainHead {
  readonly text: string;
}

/** Appends an entry to a chain: the hash of the new link covers the previous one. */
export function chainEntry(chain: string, head: ChainHead, entry: AuditEntry): Link {
  const seq = head.seq + 1;
  const text = recordText(entry, chain, seq, head.hash);
  return { seq, text, hash: sha256Hex(text) };
}

/** A record with all possible members in canonical order; a missing one does not compile. */
type OrderedRecord = { readonly [name in keyof Required<AuditRecord>]: AuditRecord[name] | undefined };

/**
 * The canonical text of a record. The members are listed in order here, so that one `JSON.stringify` suffices: sorting them for each
 * record would cost more than the rest.
 */
function recordText(entry: AuditEntry, chain: string, seq: number, prevHash: string): string {
  const { rule } = entry;
  const record: OrderedRecord = {
    action: entry.action,
    anchors: entry.anchors,
    answers: entry.answers,
    approval_id: entry.approval_id,
    approver: entry.approver,
    arguments: entry.arguments,
    arguments_sha256: entry.arguments_sha256,
    call_id: entry.call_id,
    caller: entry.caller,
    chain,
    checkpoint: entry.checkpoint,
    client: entry.client,
    decision: entry.decision,
    kind: entry.kind,
    meta: entry.meta,
    name: entry.name,
    outcome: entry.outcome,
    phase: entry.phase,
    prev_hash: prevHash,
    profile: entry.profile,
    queue_us: entry.queue_us,
    result_bytes: entry.result_bytes,
    result_sha256: entry.result_sha256,
    result_type: entry.result_type,
    rule: rule && orderedRule(rule),
    schema_mismatch: entry.schema_mismatch,
    seq,
    server: entry.server,
    session: entry.session,
    time: entry.time,
    tool: entry.tool,
    total_us: entry.total_us,
    trace_id: entry.trace_id,
    unchecked: entry.unchecked,
    upstream_us: entry.upstream_us,
    user: entry.user,
    v: 1,
    via: entry.via,
  };
  const { anchors, checkpoint, client } = entry;
  const isOrdered =
    isInOrder(entry.arguments) &&
    isInOrder(entry.answers) &&
    isInOrder(entry.meta) &&
    isInOrder(client) &&
    isInOrder(checkpoint) &&
    isInOrder(anchors);
  return isOrdered ? JSON.stringify(record) : canonicalJson(record);
}

function orderedRule({ file, layer, line, rule }: RuleReference): RuleReference {
  return { file, layer, line, rule } as RuleReference;
}

export function sha256Hex(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex');
}

/** One line of an export: the stored text with its hash as the last member. */
export function exportLine(text: string, hash: string): string {
  return `${text.slice(0, -1)},"hash":"${hash}"}`;
}

/** The stored text and hash of an export line; undefined if the line is malformed. */
export function parseExportLine(line: string): { text: string; hash: string } | undefined {
  const match = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s.exec(line);
  return match ? { text: `${match[1]}}`, hash: match[2] as string } : undefined;
}
