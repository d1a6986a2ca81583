import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ALL_SETTINGS } from '../../src/cli/all-settings.ts';
import { readPolicy } from '../../src/store/policy/read-policy.ts';
import { pageBlocks } from '../support/page-blocks.ts';
import { root } from '../support/repository.ts';

const SECTIONS = ['mcp', 'gateway', 'permissions', 'context', 'bind', 'civic'];

const folder = mkdtempSync(join(tmpdir(), 'bindery-json-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pages = ['README.md', ...readdirSync(join(root, 'docs', 'guides')).map((name) => `docs/guides/${name}`)];
const blocks = pages.flatMap((page) =>
  pageBlocks(readFileSync(join(root, page), 'utf8'))
    .filter(({ language }) => language === 'json')
    .map(({ text }, at) => ({ name: `${page}, block ${at + 1}`, text })),
);

/** What is wrong with a value of a config: a key that is no setting, or a value that its schema refuses. */
function mistakes(value: unknown, path: readonly string[]): string[] {
  const setting = ALL_SETTINGS.find(({ path: pattern }) => depth(pattern) === path.length && begins(pattern, path));
  if (setting) {
    const { success, error } = setting.schema.safeParse(value);
    return success ? [] : [`${path.join('.')}: ${error.message}`];
  }
  const isSection = ALL_SETTINGS.some(({ path: pattern }) => begins(pattern, path));
  if (!isSection || typeof value !== 'object' || value === null) return [`${path.join('.')} is no setting`];
  return Object.entries(value).flatMap(([key, member]) => mistakes(member, [...path, key]));
}

const depth = (pattern: string) => pattern.split('.').length;
const begins = (pattern: string, path: readonly string[]) =>
  path.every((name, at) => ['*', name].includes(pattern.split('.')[at] ?? ''));

test.each(blocks)('$name is JSON', ({ text }) => {
  expect(() => JSON.parse(text)).not.toThrow();
});

test.each(blocks.filter(({ text }) => text.includes('"allowlist"')))(
  '$name is a policy without mistakes',
  ({ text }) => {
    const file = join(folder, 'project_mcp.json');
    writeFileSync(file, text);
    expect(readPolicy(file)?.policy.findings.filter(({ level }) => level === 'error')).toEqual([]);
  },
);

test.each(blocks.filter(({ text }) => SECTIONS.some((name) => Object.hasOwn(JSON.parse(text), name))))(
  '$name is a config whose keys are settings',
  ({ text }) => {
    const { version: _, ...sections } = JSON.parse(text);
    expect(Object.entries(sections).flatMap(([name, value]) => mistakes(value, [name]))).toEqual([]);
  },
);

test('a key that is no setting is found', () => {
  expect([mistakes({ pins: [] }, ['gateway', 'profiles', 'x']), mistakes({ exposure: 'none' }, ['gateway'])]).toEqual([
    ['gateway.profiles.x.pins is no setting'],
    [expect.stringContaining('gateway.exposure')],
  ]);
});
