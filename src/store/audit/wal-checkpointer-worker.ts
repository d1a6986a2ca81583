import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointAnswer, CheckpointOrder } from './wal-checkpointer.ts';

/** The thread that waits for the disk while the write-ahead log of a file is put into its place. */
const database = new DatabaseSync((workerData as { readonly file: string }).file);
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort?.on('message', (order: CheckpointOrder) => {
  if (order === 'empty') {
    parentPort?.postMessage({ pages: empty() } satisfies CheckpointAnswer);
    return;
  }
  database.close();
  parentPort?.close();
});

function empty(): number | undefined {
  try {
    const { busy, log } = checkpoint.get() as { busy: number; log: number };
    return busy === 0 ? log : undefined;
  } catch {
    // A disk that is full, for one: commits say so, and the next order tries again.
    return undefined;
  }
}
