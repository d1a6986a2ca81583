import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { announceGateway, findAnnouncement } from './running-gateway.ts';

const dataDir = () => mkdtemp(join(tmpdir(), 'bindery-data-'));

const place = { cwd: '/project', registryFile: '/data/registry.db' };

test('a gateway is found by its data directory while it runs', async () => {
  const dir = await dataDir();
  expect(await findAnnouncement(dir)).toBeUndefined();
  const takeBack = announceGateway(dir, 'http://127.0.0.1:1', place);
  expect(await findAnnouncement(dir)).toEqual({
    url: 'http://127.0.0.1:1',
    pid: process.pid,
    cwd: '/project',
    registry: '/data/registry.db',
  });
  expect((await stat(join(dir, 'gateway.json'))).mode & 0o777).toBe(0o600);
  takeBack();
  expect(await findAnnouncement(dir)).toBeUndefined();
});

test('the announcement of a process that is gone counts for nothing, and that of another is not taken back', async () => {
  const dir = await dataDir();
  const takeBack = announceGateway(dir, 'http://127.0.0.1:1', place);
  await writeFile(join(dir, 'gateway.json'), JSON.stringify({ url: 'http://x', pid: process.ppid }));
  takeBack();
  expect(await findAnnouncement(dir)).toEqual({ url: 'http://x', pid: process.ppid, cwd: '' });
  await writeFile(join(dir, 'gateway.json'), JSON.stringify({ url: 'http://x', pid: 2 ** 22 - 1 }));
  expect(await findAnnouncement(dir)).toBeUndefined();
  await writeFile(join(dir, 'gateway.json'), 'nonsense');
  expect(await findAnnouncement(dir)).toBeUndefined();
});
