import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { TokenStore } from './token-store.ts';

const emptyPath = async () => join(await mkdtemp(join(tmpdir(), 'bindery-tokens-')), 'mcp-auth.json');

test('a write under a lost lock is refused, and the store keeps working', async () => {
  const path = await emptyPath();
  const store = new TokenStore(path);
  await store.update('a', () => ({ access_token: 'old' }));
  const before = await readFile(path, 'utf8');
  const update = store.locked(async () => {
    await rm(`${path}.lock`, { recursive: true });
    await store.write('a', () => ({ access_token: 'new' }));
  });
  await expect(update).rejects.toMatchObject({ code: 'store_locked' });
  expect([await readFile(path, 'utf8'), await readdir(dirname(path))]).toEqual([before, ['mcp-auth.json']]);
  await store.update('a', () => ({ access_token: 'newer' }));
  expect(await store.get('a')).toEqual({ access_token: 'newer' });
});

test.each([
  ['broken JSON', '{"version":1,"servers":{"a":{'],
  ['a list', '[]'],
  ['a text', '"x"'],
  ['servers that are a list', '{"version":1,"servers":[]}'],
])(
  'a file that is damaged as a whole (%s) is set aside by the next write, never read as tokens',
  async (_what, text) => {
    const path = await emptyPath();
    await writeFile(path, text);
    const store = new TokenStore(path);
    await expect(store.get('a')).rejects.toMatchObject({ code: 'store_damaged' });
    expect([await store.known(), await store.list(), (await store.damage()).length]).toEqual([[], {}, 1]);
    await store.update('a', () => ({ access_token: 'new' }));
    expect([await store.get('a'), await store.damage()]).toEqual([{ access_token: 'new' }, []]);
    const [, aside] = (await readdir(dirname(path))).sort();
    expect(await readFile(join(dirname(path), aside ?? ''), 'utf8')).toBe(text);
  },
);

test.each([
  ['', ['the token file is empty: what was stored in it is lost, and the next sign-in writes it anew']],
  [' \n', ['the token file is empty: what was stored in it is lost, and the next sign-in writes it anew']],
  ['\uFEFF{"version":1}', []],
])('a file with nothing in it (%j) is as good as none, and said where it is empty', async (text, damage) => {
  const path = await emptyPath();
  await writeFile(path, text);
  const store = new TokenStore(path);
  expect([await store.get('a'), await store.damage(), await store.clear('a')]).toEqual([
    undefined,
    damage,
    { found: false },
  ]);
});

test.each([['x'], [null], [[]], [{ access_token: 5 }], [{ access_token: 'x', expires_at: 'tomorrow' }]])(
  'a damaged entry (%j) hurts its own server only, and clearing it repairs the file',
  async (bad) => {
    const path = await emptyPath();
    await writeFile(path, JSON.stringify({ version: 1, servers: { bad, good: { access_token: 'g' } } }));
    const store = new TokenStore(path);
    await expect(store.get('bad')).rejects.toMatchObject({ code: 'store_damaged' });
    expect([await store.get('good'), await store.known()]).toEqual([
      { access_token: 'g' },
      [['good', { access_token: 'g' }]],
    ]);
    // Whoever writes another entry leaves it as it is.
    await store.update('other', () => ({ access_token: 'o' }));
    expect(JSON.parse(await readFile(path, 'utf8')).servers.bad).toEqual(bad);
    expect([await store.clear('bad'), await store.get('bad'), await store.damage()]).toEqual([
      { found: true },
      undefined,
      [],
    ]);
  },
);

test('a file that is damaged as a whole is set aside when an entry of it is cleared', async () => {
  const path = await emptyPath();
  await writeFile(path, 'nonsense');
  const { found, setAside = '' } = await new TokenStore(path).clear('a');
  expect([found, await readFile(setAside, 'utf8')]).toEqual([true, 'nonsense']);
});
