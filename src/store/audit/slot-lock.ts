import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nodeOfChain } from '../../gateway/audit/chain.ts';
import { type ExclusiveLock, tryLock } from '../exclusive-lock.ts';
import { STORE_LIMITS } from '../limits.ts';
import { chainNameOf } from './audit-file.ts';
import { openToRead } from './open-to-read.ts';

/** A slot that this process holds: its number, and the way to give it up. */
export interface Slot {
  readonly slot: number;
  release(): void;
}

/**
 * Takes the smallest slot that no living process holds. The lock is one of the operating system's on a file of its own, so
 * it ends with the process however that ends, and a restart continues the same chain.
 */
export function takeSlot(dataDir: string): Slot {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  for (let slot = 0; slot < STORE_LIMITS.auditSlotsMax; slot += 1) {
    const taken = tryTakeSlot(dataDir, slot);
    if (taken) return taken;
  }
  throw new Error(`all ${STORE_LIMITS.auditSlotsMax} audit slots are taken`);
}

/** Takes the smallest slot whose chain is of this node, or is not begun. */
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

/** The node that a data directory's records are of; undefined where they are of none that has a name. */
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

/** Takes one slot; undefined where a living process holds it. */
export function tryTakeSlot(dataDir: string, slot: number): Slot | undefined {
  const held = tryLock(join(dataDir, `audit-${slot}.lock`));
  return held && { slot, release: () => held.close() };
}

/** Holds every slot that there is, so that nobody writes meanwhile; undefined where a living process holds one. */
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
