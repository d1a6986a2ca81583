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
  const record: AuditRecord = { ...entry, v: 1, chain, seq: head.seq + 1, prev_hash: head.hash };
  const text = canonicalJson(record);
  return { seq: record.seq, text, hash: sha256Hex(text) };
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
