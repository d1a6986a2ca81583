import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigStore, projectConfigFile } from './config-store.ts';

async function openStore() {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-config-'));
  const files = { global: join(dir, 'home', 'config.json'), project: projectConfigFile(join(dir, 'project')) };
  return { store: new ConfigStore(files), files, dir };
}

const entry = { transport: 'http', url: 'https://a.example/mcp' };

describe('the config files', () => {
  test('[host:M3] [gateway:M3] an added server is in its scope, and is listed with its source', async () => {
    const { store } = await openStore();
    await store.add('a', entry, 'project', false);
    await store.add('a', { ...entry, enabled: false }, 'global', false);
    const seen = (await store.load()).servers.map(({ id, source, enabled }) => ({ id, source, enabled }));
    expect(seen).toEqual([{ id: 'a', source: 'project', enabled: true }]);
    expect((await store.list('global'))[0]).toMatchObject({ source: 'global', enabled: false });
  });

  test('[host:M3] [host:X29] nothing is written for a bad id, a bad URL or an id that exists', async () => {
    const { store, files } = await openStore();
    await expect(store.add('a b', entry, 'project', false)).rejects.toMatchObject({ code: 'SERVER_INVALID' });
    await expect(store.add('a', { ...entry, url: 'x' }, 'project', false)).rejects.toMatchObject({
      code: 'SERVER_INVALID',
    });
    await expect(readFile(files.project)).rejects.toMatchObject({ code: 'ENOENT' });
    await store.add('a', entry, 'project', false);
    const before = await readFile(files.project, 'utf8');
    await expect(store.add('a', entry, 'project', false)).rejects.toMatchObject({ code: 'SERVER_EXISTS' });
    expect(await readFile(files.project, 'utf8')).toBe(before);
    await store.add('a', { ...entry, url: 'https://b.example/' }, 'project', true);
    expect((await store.list('project'))[0]?.entry?.url).toBe('https://b.example/');
  });

  test('[host:M3] remove, enable and disable name the other scope if the server is there', async () => {
    const { store } = await openStore();
    await store.add('a', entry, 'global', false);
    await expect(store.remove('a', 'project')).rejects.toMatchObject({
      code: 'SERVER_NOT_FOUND',
      members: { id: 'a', scope: 'project', found_in: 'global' },
    });
    await expect(store.setEnabled('b', 'project', true)).rejects.toMatchObject({
      members: { id: 'b', scope: 'project' },
    });
    await store.setEnabled('a', 'global', false);
    expect((await store.list('global'))[0]?.enabled).toBe(false);
    await store.remove('a', 'global');
    expect(await store.list('global')).toEqual([]);
  });

  test('[host:H2] one broken file leaves the other in use, and is named', async () => {
    const { store, files } = await openStore();
    await store.add('a', entry, 'project', false);
    await store.add('b', entry, 'global', false);
    await writeFile(files.project, '{');
    const loaded = await store.load();
    expect([loaded.servers.map(({ id }) => id), loaded.errors]).toEqual([
      ['b'],
      [expect.stringMatching(/project config file is not used: \/.*config\.json: line 1: close brace expected$/)],
    ]);
    await expect(store.add('c', entry, 'project', false)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(await readFile(files.project, 'utf8')).toBe('{');
  });

  test('[host:M8] [host:X31] an unreadable or unwritable file is reported', async () => {
    const { store, files, dir } = await openStore();
    await mkdir(files.project, { recursive: true });
    expect((await store.load()).errors).toEqual([
      expect.stringMatching(/project config file is not used: \/.*config\.json: it is a folder$/),
    ]);
    await expect(store.add('a', entry, 'project', false)).rejects.toMatchObject({ code: 'FILE_REFUSED' });
    await writeFile(join(dir, 'home'), 'a file where a folder should be');
    await expect(store.add('a', entry, 'global', false)).rejects.toMatchObject({
      code: 'CONFIG_UNWRITABLE',
      detail: expect.stringContaining(files.global),
    });
  });

  test('[host:X31] a new global file is private, and an existing file keeps its mode', async () => {
    const { store, files } = await openStore();
    await store.add('a', entry, 'global', false);
    expect((await stat(files.global)).mode & 0o777).toBe(0o600);
    await chmod(files.global, 0o640);
    await store.add('b', entry, 'global', false);
    expect((await stat(files.global)).mode & 0o777).toBe(0o640);
  });

  test('[host:X31] concurrent writers lose nothing', async () => {
    const { store, files } = await openStore();
    const other = new ConfigStore(files);
    const ids = Array.from({ length: 8 }, (_, index) => `s${index}`);
    await Promise.all(ids.map((id, index) => (index % 2 ? store : other).add(id, entry, 'global', false)));
    expect((await store.list('global')).map(({ id }) => id)).toEqual(ids);
  });
});

describe('kill -9 in the middle of writes', () => {
  test('[host:X31] leaves a complete file with every acknowledged entry, and the next writer continues', async () => {
    const { store, files } = await openStore();
    const script = new URL('./testing/write-forever.ts', import.meta.url).pathname;
    let acknowledged: string[] = [];
    for (const [round, lifeMs] of [400, 530].entries()) {
      acknowledged = [...acknowledged, ...(await writeUntilKilled(script, files, `r${round}x`, lifeMs))];
      const loaded = await store.load();
      expect(loaded.errors).toEqual([]);
      expect(loaded.servers.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
    }
    await store.add('after', entry, 'global', false);
    expect((await store.list('global')).some(({ id }) => id === 'after')).toBe(true);
    expect(await readdir(join(files.global, '..'))).toEqual(['config.json']);
    expect(acknowledged.length).toBeGreaterThan(0);
  });
});

/** What the writer said it had written before it was killed. */
async function writeUntilKilled(script: string, files: ConfigStore['files'], prefix: string, lifeMs: number) {
  const child = spawn(process.execPath, ['--no-warnings', script, files.global, files.project, prefix], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (said === '') setTimeout(() => child.kill('SIGKILL'), lifeMs);
    said += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return said.split('\n').slice(0, -1);
}
