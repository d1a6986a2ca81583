import { hash } from 'node:crypto';
import type { AuditEntry, AuditRecord } from './audit-record.ts';
import { canonicalJson } from './canonical-json.ts';

/** The last link of a chain. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first record. */
export const GENESIS: ChainHead = { seq: 0, hash: '0'.repeat(64) };

/** A record as it is stored: the exact text (RFC 8785) and its hash. */
export interface Link extends ChainHead {
  readonly text: string;
}

/** Appends an entry to a chain: the next link, whose hash covers the one before. */
export function chainEntry(chain: string, head: ChainHead, entry: AuditEntry): Link {
  const seq = head.seq + 1;
  const text = recordText({ ...entry, v: 1, chain, seq, prev_hash: head.hash });
  return { seq, text, hash: sha256Hex(text) };
}

/** Every member that a record can have; a missing one does not compile. */
const MEMBERS: Readonly<Record<keyof AuditRecord, true>> = {
  action: true,
  anchors: true,
  approval_id: true,
  approver: true,
  arguments: true,
  arguments_sha256: true,
  call_id: true,
  caller: true,
  chain: true,
  checkpoint: true,
  client: true,
  decision: true,
  kind: true,
  name: true,
  outcome: true,
  phase: true,
  prev_hash: true,
  profile: true,
  queue_us: true,
  result_bytes: true,
  result_sha256: true,
  result_type: true,
  rule: true,
  seq: true,
  server: true,
  session: true,
  time: true,
  tool: true,
  total_us: true,
  trace_id: true,
  upstream_us: true,
  user: true,
  v: true,
  via: true,
};

/** The members in canonical order, each with how it is written: sorting them anew for every record costs more than the record. */
const WRITTEN = (Object.keys(MEMBERS).sort() as (keyof AuditRecord)[]).map(
  (name) => [name, `${JSON.stringify(name)}:`] as const,
);

function recordText(record: AuditRecord): string {
  let text = '';
  for (const [name, written] of WRITTEN) {
    const member = record[name];
    if (member !== undefined) text += `${text === '' ? '{' : ','}${written}${canonicalJson(member)}`;
  }
  return `${text}}`;
}

export function sha256Hex(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex');
}

/** One line of an export: the stored text with its hash as the last member. */
export function exportLine(text: string, hash: string): string {
  return `${text.slice(0, -1)},"hash":"${hash}"}`;
}

/** The stored text and the hash of a line of an export; undefined where the line has another form. */
export function parseExportLine(line: string): { text: string; hash: string } | undefined {
  const match = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s.exec(line);
  return match ? { text: `${match[1]}}`, hash: match[2] as string } : undefined;
}
