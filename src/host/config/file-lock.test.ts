import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { lockFile } from './file-lock.ts';

const SHORT = { stale: 2_000 };

test('a lock that is lost while held reports that, does not end the process, and can be released', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'bindery-lock-')), 'config.json');
  const lock = await lockFile(file, SHORT);
  const before = lock.isLost;
  await rm(`${file}.lock`, { recursive: true });
  await vi.waitUntil(() => lock.isLost, { timeout: 5_000 });
  await lock.release();
  expect(before).toBe(false);
});

test('releasing a lost lock does not release the lock of another process', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'bindery-lock-')), 'config.json');
  const lost = await lockFile(file, SHORT);
  await rm(`${file}.lock`, { recursive: true });
  await vi.waitUntil(() => lost.isLost, { timeout: 5_000 });
  const theirs = await lockFile(file, SHORT);
  await lost.release();
  await expect(lockFile(file, SHORT)).rejects.toMatchObject({ code: 'ELOCKED' });
  await theirs.release();
});

test('if the lock cannot be created, the caller fails without waiting', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'bindery-lock-')), 'x'.repeat(253));
  const patient = { ...SHORT, tries: 1_000, restMs: 60_000 };
  await expect(lockFile(file, patient)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
});

const FILE_LOCK = new URL('./file-lock.ts', import.meta.url).href;

/** A process of its own with `file` and `lockFile`. */
function inProcess(file: string, code: string) {
  const start = `const file = ${JSON.stringify(file)}; const { lockFile } = await import(${JSON.stringify(FILE_LOCK)});`;
  return spawn(process.execPath, ['--input-type=module', '-e', `${start}\n${code}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** Another process that holds the lock until its stdin ends. */
async function otherHolder(file: string) {
  const child = inProcess(
    file,
    `const lock = await lockFile(file, { stale: 60_000 });
     process.stdin.on('data', () => {}).once('end', () => lock.release());
     console.log('held');`,
  );
  await once(child.stdout, 'data');
  return child;
}

async function newFile(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), 'bindery-lock-')), 'config.json');
}

async function onlyOwner(file: string): Promise<string> {
  const [owner, ...others] = await readdir(`${file}.lock`);
  expect(others).toEqual([]);
  return owner as string;
}

test('the lock of a process that was killed is taken over at once', async () => {
  const file = await newFile();
  const holder = await otherHolder(file);
  holder.kill('SIGKILL');
  await once(holder, 'close');
  const lock = await lockFile(file, { stale: 60_000 });
  expect([lock.isLost, await onlyOwner(file)]).toEqual([false, expect.stringContaining(`-${process.pid}-`)]);
  await lock.release();
});

test('the lock of a process that runs is never taken, however long ago it was refreshed, and is free once released', async () => {
  const file = await newFile();
  const holder = await otherHolder(file);
  await utimes(join(`${file}.lock`, await onlyOwner(file)), 1, 1);
  await utimes(`${file}.lock`, 1, 1);
  await expect(lockFile(file, SHORT)).rejects.toMatchObject({ code: 'ELOCKED' });
  holder.stdin.end();
  await once(holder, 'close');
  const lock = await lockFile(file, SHORT);
  await lock.release();
});

test('a process number that another process has now owns nothing', async () => {
  const file = await newFile();
  const held = await lockFile(file, SHORT);
  const owner = await onlyOwner(file);
  const earlier = owner.replace(/-(\d+)-(\d+)-/, (_, pid, start) => `-${pid}-${start - 1}-`);
  await rename(join(`${file}.lock`, owner), join(`${file}.lock`, earlier));
  const lock = await lockFile(file, { stale: 60_000 });
  expect([held.isLost, lock.isLost]).toEqual([true, false]);
  await lock.release();
});

test('the lock of another machine is respected until it is stale', async () => {
  const file = await newFile();
  await mkdir(`${file}.lock`);
  const theirs = join(`${file}.lock`, `owner-${'0'.repeat(16)}-1-1-00000000-0000-4000-8000-000000000000`);
  await writeFile(theirs, '');
  await expect(lockFile(file, SHORT)).rejects.toMatchObject({ code: 'ELOCKED' });
  await utimes(theirs, 1, 1);
  const lock = await lockFile(file, SHORT);
  await lock.release();
});

test('of processes that take the lock together, and are killed meanwhile, one at a time has it', async () => {
  const file = await newFile();
  await writeFile(file, '0');
  const count = (times: number) => `
    const { readFileSync, writeFileSync } = await import('node:fs');
    console.log('started');
    for (let done = 0; done < ${times}; done += 1) {
      const lock = await lockFile(file, { stale: 60_000, tries: 10_000, restMs: 3 });
      const read = Number(readFileSync(file, 'utf8'));
      await new Promise((next) => setImmediate(next));
      if (${times} < 1_000) writeFileSync(file, String(read + 1));
      await lock.release();
    }`;
  const counters = Array.from({ length: 3 }, () => inProcess(file, count(40)));
  const ended = Promise.all(counters.map((child) => once(child, 'close')));
  for (let kills = 0; kills < 4; kills += 1) {
    const victim = inProcess(file, count(1_000_000));
    await once(victim.stdout, 'data');
    victim.kill('SIGKILL');
    await once(victim, 'close');
  }
  await ended;
  expect(await readFile(file, 'utf8')).toBe('120');
});
