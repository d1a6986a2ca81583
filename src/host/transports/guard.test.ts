import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { Guard } from './guard.ts';
import { readInTurns } from './read-in-turns.ts';
import type { ServerProcess } from './server-process.ts';

const guard = new Guard();
afterAll(() => guard.close());

/** Starts a program; `ended` tells how it ended, and `said` what it wrote. */
async function run(program: string, file = process.execPath, by = guard) {
  const said: string[] = [];
  let end: (how: unknown) => void = () => {};
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  const server: ServerProcess = await by.start(
    { file, args: ['-e', program], cwd: '/tmp', env: { ONE: '1' } },
    {
      onOutput: (chunk) => said.push(chunk.toString()),
      onErrorOutput: (chunk) => said.push(`error: ${chunk}`),
      onEnd: (code, signal) => end({ code, signal }),
    },
  );
  return { server, said, ended };
}

const parentOf = (pid: number) => Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
const echo = 'process.stdin.on("data", (data) => process.stdout.write(data)).on("end", () => process.exit(3))';

test('[wire:GUARD] a server is started by the guard, with its three streams, its folder, its variables and its end', async () => {
  const { server, said, ended } = await run(
    `console.log(process.cwd(), process.env.ONE, process.env.PATH); console.error("oh"); ${echo}`,
  );
  server.stdin.write('hello');
  while (!said.join('').includes('hello')) await sleep(5);
  server.stdin.end();
  expect([parentOf(server.pid) === process.pid, await ended, said.join('').split('error: ').toSorted()]).toEqual([
    false,
    { code: 3, signal: null },
    expect.arrayContaining([expect.stringContaining('/tmp 1 undefined')]),
  ]);
  expect(said.join('')).toContain('error: oh\n');
});

test('[wire:GUARD] what cannot be started says why, and what a signal ended says which', async () => {
  await expect(run('', '/no/such/program')).rejects.toMatchObject({ code: 'ENOENT' });
  const { ended } = await run('process.kill(process.pid, "SIGKILL")');
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
});

test('[wire:GUARD] a guard that is killed takes no server with it; another one takes its place and knows of them', async () => {
  const before = await run(echo);
  process.kill(parentOf(before.server.pid), 'SIGKILL');
  // An order to a guard that is going may be lost with it; the next one finds a new one.
  const after = await run(echo).catch(() => run(echo));
  before.server.stdin.write('still here');
  while (!before.said.join('').includes('still here')) await sleep(5);
  before.server.stdin.end();
  after.server.stdin.end();
  expect([await before.ended, await after.ended]).toEqual([
    { code: null, signal: null },
    { code: 3, signal: null },
  ]);
});

test('[wire:GUARD] where nothing can be written servers start all the same', async () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = '/no/such/folder';
  const elsewhere = new Guard();
  const { server, ended } = await run(echo, process.execPath, elsewhere);
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  expect(parentOf(server.pid)).toBe(process.pid);
  server.stdin.end();
  expect(await ended).toEqual({ code: 3, signal: null });
  elsewhere.close();
});

test('[wire:HOSTILE] a server that is left unread waits with what it has to say', async () => {
  const { server, said, ended } = await run(
    'const more = () => process.stdout.write("x".repeat(65536), more); more(); process.stdin.on("end", () => process.exit(0)).resume()',
  );
  while (said.length === 0) await nextTurn();
  server.stopReading();
  const pieces = said.length;
  for (let turn = 0; turn < 20; turn += 1) await sleep(5);
  expect(said.length).toBe(pieces);
  process.kill(-server.pid, 'SIGKILL');
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
});

test('[wire:HOSTILE] however fast a socket sends, the others have their turn after a few pieces', async () => {
  const TOTAL = 8 * 1024 * 1024;
  const path = join(tmpdir(), `bindery-turns-${process.pid}`);
  const server = createServer((socket) => socket.end(Buffer.alloc(TOTAL, 'x'))).listen(path);
  await new Promise((resolve) => server.once('listening', resolve));
  const { connect } = await import('node:net');
  let got = 0;
  let sinceTurn = 0;
  let mostInTurn = 0;
  const socket: Socket = connect({
    path,
    onread: readInTurns(
      () => socket,
      (chunk) => {
        got += chunk.length;
        if (sinceTurn === 0) setImmediate(() => (sinceTurn = 0));
        sinceTurn += chunk.length;
        mostInTurn = Math.max(mostInTurn, sinceTurn);
      },
    ),
  });
  await new Promise((resolve) => socket.once('end', resolve));
  server.close();
  expect([got, mostInTurn <= 4 * 64 * 1024]).toEqual([TOTAL, true]);
});
