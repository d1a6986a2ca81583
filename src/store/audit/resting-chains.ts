import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chainNameOf } from './audit-file.ts';
import { AuditWriter, type AuditWriterOptions } from './audit-writer.ts';
import { openToRead } from './open-to-read.ts';
import { tryTakeSlot } from './slot-lock.ts';

/** A chain of the data directory, without its records. */
export interface ChainState {
  readonly slot: number;
  readonly chain: string;
  readonly lastSeq: number;
  /** Bytes used by records. */
  readonly bytes: number;
}

/** Every chain that was begun, by slot, with or without a live writer. */
export function chainStates(dataDir: string): ChainState[] {
  return readdirSync(dataDir)
    .flatMap((name) => /^audit-(\d+)\.db$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
    .flatMap((slot) => chainState(join(dataDir, `audit-${slot}.db`), slot));
}

/**
 * Opens the chain of a slot whose writer is gone, for maintenance; opening it ends the calls that the writer left open. Undefined if the
 * writer is alive. Closing the returned writer releases the slot.
 */
export function openRestingChain(options: AuditWriterOptions, slot: number): AuditWriter | undefined {
  const taken = tryTakeSlot(options.dataDir, slot);
  return taken && AuditWriter.open(options, taken);
}

function chainState(file: string, slot: number): ChainState | [] {
  const database = openToRead(file);
  try {
    const chain = chainNameOf(database);
    if (chain === undefined) return [];
    const number = (sql: string) => Number(Object.values(database.prepare(sql).get() as object)[0]);
    const pages = number('PRAGMA page_count') - number('PRAGMA freelist_count');
    return {
      slot,
      chain,
      lastSeq: number('SELECT MAX(seq) FROM records'),
      bytes: pages * number('PRAGMA page_size'),
    };
  } finally {
    database.close();
  }
}
