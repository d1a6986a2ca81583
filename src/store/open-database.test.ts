import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { openDatabase } from './open-database.ts';

/** Locks a database as one does that closes it, and lets it go a moment later. */
const LOCKER = `
const { DatabaseSync } = require('node:sqlite');
const { parentPort, workerData } = require('node:worker_threads');
const database = new DatabaseSync(workerData);
database.exec('CREATE TABLE t (a); BEGIN EXCLUSIVE');
parentPort.postMessage('locked');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
database.exec('COMMIT');
database.close();
`;

test('a database that another process has locked for a moment is waited for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-open-'));
  const file = join(folder, 'a.db');
  const locker = new Worker(LOCKER, { eval: true, workerData: file });
  try {
    await new Promise((resolve) => locker.once('message', resolve));
    const database = openDatabase(file);
    expect(database.prepare('SELECT count(*) AS rows FROM t').get()).toEqual({ rows: 0 });
    database.close();
  } finally {
    await locker.terminate();
    rmSync(folder, { recursive: true });
  }
});
