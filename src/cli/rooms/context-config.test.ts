import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { build, writeFiles } from '../../store/context/testing/folders.ts';
import { contextWiring } from './context.ts';
import { servedCaches } from './context-config.ts';

const dir = mkdtempSync(join(tmpdir(), 'bindery-caches-'));
const configFile = join(dir, 'config.json');
afterAll(() => rmSync(dir, { recursive: true }));

const settings = (flags: object, config: unknown) => {
  writeFileSync(configFile, typeof config === 'string' ? config : JSON.stringify(config));
  return { flags: { ...flags }, cwd: join(dir, 'cwd'), dataDir: join(dir, 'data'), configFile };
};

test.each([
  ['the data directory', {}, {}, 'data/caches'],
  ['the data directory where the section says nothing', {}, { context: {} }, 'data/caches'],
  ['the configuration, relative to the file', {}, { context: { caches: 'mine' } }, 'mine'],
  ['the configuration, wherever it is', {}, { context: { caches: join(dir, 'far') } }, 'far'],
  ['the flag, relative to the folder at hand', { caches: 'told' }, { context: { caches: 'mine' } }, 'cwd/told'],
])('the folder of caches is that of %s', (_whose, flags, config, expected) => {
  expect(servedCaches(settings(flags, config))).toBe(join(dir, expected));
});

test('no configuration at all is one that says nothing', () => {
  expect(servedCaches({ ...settings({}, {}), configFile: join(dir, 'none.json') })).toBe(join(dir, 'data', 'caches'));
});

test.each([
  ['is not JSON', '{'],
  ['has another kind of folder', { context: { caches: 7 } }],
])('a configuration that %s is refused', (_what, config) => {
  expect(() => servedCaches(settings({}, config))).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

test('the room serves the caches of the configuration', async () => {
  const sources = writeFiles(join(dir, 'sources'), { 'a.md': 'one' });
  await build({ sources, cache: join(dir, 'mine', 'handbook') });
  const told = { ...settings({}, { context: { caches: 'mine' } }), baseUrl: () => 'http://x' };
  const room = await contextWiring.serve?.(told as never);
  expect(room?.tryNext().join()).toContain('"cache":"handbook"');
  await room?.close();
});
