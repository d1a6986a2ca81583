import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { exchange } from './http-exchange.ts';
import { HttpPool } from './http-pool.ts';
import { type ReadThrottle, readInTurns } from './read-in-turns.ts';

interface Read {
  readonly bytes: number;
  /** Turns of the event loop since the read before. */
  readonly turns: number;
}

let servers = 0;

/** Reads all that a socket sends as fast as it can, while the event loop turns. */
async function readAll(total: number, holdingBack?: ReadThrottle): Promise<readonly Read[]> {
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
      },
      holdingBack,
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

const FULL = 128 * 1024;
const sum = (reads: readonly Read[]) => reads.reduce((all, { bytes }) => all + bytes, 0);

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

test('[wire:HOSTILE] however fast a socket sends, others get a turn after a few reads', async () => {
  const reads = await readAll(8 * 1024 * 1024);
  const perTurn: number[] = [];
  for (const { bytes, turns } of reads) {
    if (turns > 0 || perTurn.length === 0) perTurn.push(0);
    perTurn[perTurn.length - 1] = (perTurn.at(-1) ?? 0) + bytes;
  }
  expect([sum(reads), Math.max(...perTurn) <= 2 * FULL]).toEqual([8 * 1024 * 1024, true]);
});

test('[wire:HOSTILE] a socket pauses as long as requested, for many turns of the others', async () => {
  const reads = await readAll(20 * FULL, { restMs: () => 5 });
  const rests = reads.slice(1).map(({ turns }) => turns);
  expect([sum(reads), rests.length > 5, median(rests) > 5]).toEqual([20 * FULL, true, true]);
});

test('[wire:HOSTILE] expensive input is read in small pieces while it is expensive', async () => {
  let pieces = 0;
  const reads = await readAll(8 * FULL, {
    isNoisy: () => {
      pieces += 1;
      return pieces > 2 && pieces < 10;
    },
  });
  const isSmall = reads.map(({ bytes }) => bytes <= LIMITS.noisyPieceBytes);
  expect([sum(reads), isSmall.slice(2, 9), isSmall.slice(9).includes(false)]).toEqual([
    8 * FULL,
    Array.from({ length: 7 }, () => true),
    true,
  ]);
});

test('[wire:HOSTILE] a body pauses as long as its sink requests, and arrives completely', async () => {
  const server = createHttpServer((_request, response) => response.end(Buffer.alloc(20 * FULL, 'x')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = new HttpPool();
  let bytes = 0;
  let turns = 0;
  const rests: number[] = [];
  const pieces: number[] = [];
  const { ended } = await exchange(
    pool.entry({}),
    {
      url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
      method: 'POST',
      headers: {},
      body: Buffer.from('{}'),
    },
    () => ({
      onChunk: (chunk) => {
        rests.push(turns);
        pieces.push(chunk.length);
        bytes += chunk.length;
        turns = 0;
      },
      restMs: () => 5,
    }),
  );
  const over = ended.then(() => true);
  while (!(await Promise.race([over, nextTurn(false)]))) turns += 1;
  await pool.destroy();
  server.close();
  expect([bytes, median(rests) > 5, Math.max(...pieces.slice(1)) <= LIMITS.noisyPieceBytes]).toEqual([
    20 * FULL,
    true,
    true,
  ]);
});

test('a socket that connects to the second of two addresses reads like any other', async () => {
  const server = createServer((socket) => socket.end(Buffer.alloc(2 * FULL, 'x'))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let bytes = 0;
  const socket: Socket = connect({
    host: 'two.example',
    port: (server.address() as AddressInfo).port,
    autoSelectFamily: true,
    // Nothing listens at the first.
    lookup: (_name, _options, found) =>
      found(null, [
        { address: '127.0.0.2', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]),
    onread: readInTurns(
      () => socket,
      (chunk) => {
        bytes += chunk.length;
      },
      { isNoisy: () => false },
    ),
  });
  await once(socket, 'end');
  server.close();
  expect(bytes).toBe(2 * FULL);
});
