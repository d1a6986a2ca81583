import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claimDataDir, claimWhenFree, findAnnouncement, findBeside } from './running-gateway.ts';

const emptyDir = () => mkdtemp(join(tmpdir(), 'bindery-data-'));

const place = { cwd: '/project', registryFile: '/data/registry.db' };
const here = { url: 'http://127.0.0.1:1', pid: process.pid, cwd: '/project', registry: '/data/registry.db' };

test('a gateway is found by its data directory while it runs', async () => {
  const dir = await emptyDir();
  expect(await findAnnouncement(dir)).toBeUndefined();
  const claim = await claimDataDir(dir);
  expect(await findAnnouncement(dir)).toBeUndefined();
  claim.announce(here.url, place);
  expect(await findAnnouncement(dir)).toEqual(here);
  expect((await stat(join(dir, 'gateway.json'))).mode & 0o777).toBe(0o600);
  claim.takeBack();
  expect(await findAnnouncement(dir)).toBeUndefined();
  claim.release();
  expect(await readdir(dir)).toEqual(['gateway.lock']);
});

test('a second gateway is refused by the name of the first, whose announcement stays', async () => {
  const dir = await emptyDir();
  const claim = await claimDataDir(dir);
  await expect(claimDataDir(dir)).rejects.toMatchObject({ code: 'GATEWAY_RUNNING' });
  claim.announce(here.url, place);
  await expect(claimDataDir(dir)).rejects.toMatchObject({
    code: 'GATEWAY_RUNNING',
    detail: `${dir}: process ${process.pid} serves it at ${here.url}`,
    members: { pid: process.pid, url: here.url },
  });
  expect(await findAnnouncement(dir)).toEqual(here);
  claim.release();
  (await claimDataDir(dir)).release();
});

test('a gateway beside another is found once the other has ended', async () => {
  const dir = await emptyDir();
  const first = await claimDataDir(dir);
  first.announce('http://127.0.0.1:2', place);
  const second = claimWhenFree(dir);
  second.announce(here.url, place);
  expect((await findAnnouncement(dir))?.url).toBe('http://127.0.0.1:2');
  expect(await findBeside(dir)).toEqual([here]);
  first.release();
  await expect.poll(() => findAnnouncement(dir), { timeout: 10_000 }).toEqual(here);
  expect(await findBeside(dir)).toEqual([]);
  second.takeBack();
  expect(await findAnnouncement(dir)).toBeUndefined();
  second.release();
  (await claimDataDir(dir)).release();
});

test('a gateway beside another that ended first announces nothing later', async () => {
  const dir = await emptyDir();
  const first = await claimDataDir(dir);
  const second = claimWhenFree(dir);
  second.announce(here.url, place);
  second.release();
  first.release();
  (await claimDataDir(dir)).release();
  expect(await readdir(dir)).toEqual(['gateway.lock']);
});

test('the files of a killed gateway beside another are ignored, and the next one removes them', async () => {
  const dir = await emptyDir();
  const first = await claimDataDir(dir);
  const killed = `beside-${'0'.repeat(36)}.json`;
  await writeFile(join(dir, killed), JSON.stringify(here));
  expect(await findBeside(dir)).toEqual([]);
  const second = claimWhenFree(dir);
  second.announce(here.url, place);
  expect(await readdir(dir)).not.toContain(killed);
  second.release();
  first.release();
});

test('the announcement of a killed process is ignored, even if its process id is reused', async () => {
  const dir = await emptyDir();
  const code = `
    const { claimDataDir } = await import(${JSON.stringify(new URL('running-gateway.ts', import.meta.url).href)});
    (await claimDataDir(${JSON.stringify(dir)})).announce('http://127.0.0.1:9', { cwd: '', registryFile: '' });
    console.log('announced');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  expect((await findAnnouncement(dir))?.pid).toBe(child.pid);
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(await findAnnouncement(dir)).toBeUndefined();
  // The number of a process that lives.
  await writeFile(join(dir, 'gateway.json'), JSON.stringify({ url: 'http://x', pid: process.pid }));
  expect(await findAnnouncement(dir)).toBeUndefined();
  const claim = await claimDataDir(dir);
  expect(await findAnnouncement(dir)).toBeUndefined();
  await writeFile(join(dir, 'gateway.json'), 'nonsense');
  expect(await findAnnouncement(dir)).toBeUndefined();
  claim.release();
});

test('looking for a gateway does not keep one from starting', async () => {
  const dir = await emptyDir();
  (await claimDataDir(dir)).release();
  await writeFile(join(dir, 'gateway.json'), JSON.stringify({ url: 'http://x', pid: process.pid }));
  const code = `
    const { findAnnouncement } = await import(${JSON.stringify(new URL('running-gateway.ts', import.meta.url).href)});
    console.log('looks');
    for (;;) await findAnnouncement(${JSON.stringify(dir)});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  for (let round = 0; round < 50; round += 1) (await claimDataDir(dir)).release();
  child.kill('SIGKILL');
  await once(child, 'close');
});
