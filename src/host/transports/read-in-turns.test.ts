import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readInTurns } from './read-in-turns.ts';

interface Read {
  readonly bytes: number;
  /** Turns of the event loop since the read before. */
  readonly turns: number;
}

let servers = 0;

/** Reads all that a socket sends as fast as it can, while the event loop turns. */
async function readAll(total: number, push: () => void, isUnwanted?: () => boolean): Promise<readonly Read[]> {
  servers += 1;
  const path = join(tmpdir(), `bindery-turns-${process.pid}-${servers}`);
  const server = createServer((socket) => socket.end(Buffer.alloc(total, 'x'))).listen(path);
  await new Promise((resolve) => server.once('listening', resolve));
  const reads: Read[] = [];
  let turns = 0;
  const socket: Socket = connect({
    path,
    onread: readInTurns(
      () => socket,
      (chunk) => {
        reads.push({ bytes: chunk.length, turns });
        turns = 0;
        push();
      },
      isUnwanted,
    ),
  });
  let isOpen = true;
  socket.once('end', () => {
    isOpen = false;
  });
  while (isOpen) {
    await nextTurn();
    turns += 1;
  }
  server.close();
  return reads;
}

const FULL = 64 * 1024;
const sum = (reads: readonly Read[]) => reads.reduce((all, { bytes }) => all + bytes, 0);

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

function workFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('[wire:HOSTILE] however fast a socket sends, the others have their turn after a few pieces', async () => {
  const reads = await readAll(8 * 1024 * 1024, () => {});
  const perTurn: number[] = [];
  for (const { bytes, turns } of reads) {
    if (turns > 0 || perTurn.length === 0) perTurn.push(0);
    perTurn[perTurn.length - 1] = (perTurn.at(-1) ?? 0) + bytes;
  }
  expect([sum(reads), Math.max(...perTurn) <= 4 * FULL]).toEqual([8 * 1024 * 1024, true]);
});

test('[wire:HOSTILE] a socket whose messages keep the loop busy rests in between, for many turns of the others', async () => {
  const reads = await readAll(20 * FULL, () => workFor(4));
  const full = reads.filter(({ bytes }) => bytes === FULL);
  // What it may take at once is used up by then.
  const later = full.slice(6).map(({ turns }) => turns);
  expect([sum(reads), later.length > 5, median(later) > 5]).toEqual([20 * FULL, true, true]);
});

test('[wire:HOSTILE] what nobody wants is read slowly', async () => {
  const reads = await readAll(
    20 * FULL,
    () => {},
    () => true,
  );
  expect([sum(reads), median(reads.map(({ turns }) => turns)) > 5]).toEqual([20 * FULL, true]);
});
