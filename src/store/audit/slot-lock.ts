import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nodeOfChain } from '../../gateway/audit/chain.ts';
import { type ExclusiveLock, tryLock } from '../exclusive-lock.ts';
import { STORE_LIMITS } from '../limits.ts';
import { chainNameOf } from './audit-file.ts';
import { openToRead } from './open-to-read.ts';

/** A slot that this process holds. */
export interface Slot {
  readonly slot: number;
  release(): void;
}

/**
 * Takes the lowest slot that no live process holds. The lock is an operating-system lock on a file, so it ends with the process, even after
 * a crash, and a restart continues the same chain.
 */
export function takeSlot(dataDir: string): Slot {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  for (let slot = 0; slot < STORE_LIMITS.auditSlotsMax; slot += 1) {
    const taken = tryTakeSlot(dataDir, slot);
    if (taken) return taken;
  }
  throw new Error(`all ${STORE_LIMITS.auditSlotsMax} audit slots are taken`);
}

/** Takes the lowest free slot whose chain belongs to this node or is not begun. */
export function takeSlotOf(dataDir: string, node: string): Slot {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  for (let slot = 0; slot < STORE_LIMITS.auditSlotsMax; slot += 1) {
    const taken = tryTakeSlot(dataDir, slot);
    const chain = taken && chainOfFile(join(dataDir, `audit-${slot}.db`));
    if (taken && (chain === undefined || nodeOfChain(chain) === node)) return taken;
    taken?.release();
  }
  throw new Error(`all ${STORE_LIMITS.auditSlotsMax} audit slots are taken`);
}

/** The node that owns the records of a data directory; undefined if all are from unnamed nodes. */
export function nodeOfFiles(dataDir: string, unnamed: string): string | undefined {
  const all = existsSync(dataDir) ? readdirSync(dataDir) : [];
  const files = all.filter((name) => /^audit-\d+\.db$/.test(name));
  const chains = files.flatMap((name) => chainOfFile(join(dataDir, name)) ?? []);
  return chains.map(nodeOfChain).find((node) => node !== unnamed);
}

function chainOfFile(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const database = openToRead(file);
  try {
    return chainNameOf(database);
  } finally {
    database.close();
  }
}

/** Takes one slot; undefined if a live process holds it. */
export function tryTakeSlot(dataDir: string, slot: number): Slot | undefined {
  const held = tryLock(join(dataDir, `audit-${slot}.lock`));
  return held && { slot, release: () => held.close() };
}

/** Locks every existing slot, so that no gateway writes meanwhile; undefined if a live process holds one. */
export function holdEverySlot(dataDir: string): (() => void) | undefined {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const known = readdirSync(dataDir).filter((name) => /^audit-\d+\.lock$/.test(name));
  const held: ExclusiveLock[] = [];
  const release = () => {
    for (const lock of held) lock.close();
  };
  for (const name of new Set(['audit-0.lock', ...known])) {
    const lock = tryLock(join(dataDir, name));
    if (!lock) {
      release();
      return undefined;
    }
    held.push(lock);
  }
  return release;
}
