import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointAnswer, CheckpointOrder } from './wal-checkpointer.ts';

/** The thread that runs checkpoints and waits for the disk. */
const database = new DatabaseSync((workerData as { readonly file: string }).file);
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort?.on('message', (order: CheckpointOrder) => {
  if (order === 'checkpoint') {
    parentPort?.postMessage({ pages: runCheckpoint() } satisfies CheckpointAnswer);
    return;
  }
  database.close();
  parentPort?.close();
});

function runCheckpoint(): number | undefined {
  try {
    const { busy, log } = checkpoint.get() as { busy: number; log: number };
    return busy === 0 ? log : undefined;
  } catch {
    // For example a full disk: commits report it, and the next order retries.
    return undefined;
  }
}
