import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AttackCase } from '../../attack/attack-case.ts';
import { root, trackedFiles } from '../support/repository.ts';

const folder = join(root, 'attack/cases');
const modules = await Promise.all(
  readdirSync(folder).map((name) => import(join(folder, name)) as Promise<{ attacks: readonly AttackCase[] }>),
);
const ids = modules.flatMap(({ attacks }) => attacks.map(({ id }) => id));
const rows = readFileSync(join(root, 'docs/security-model.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| (?:[A-C]|H?\d+) \|/.test(line))
  .map((line) => line.split(' | '));

test('every attack shows a threat of the security model, and every threat has its attack', () => {
  const named = rows.flatMap((row) => (row[3] ?? '').split(', '));
  expect([named.filter((id) => !ids.includes(id)), ids.filter((id) => !named.includes(id))]).toEqual([
    [],
    ['policy-denied'],
  ]);
  expect(ids.length).toBe(new Set(ids).size);
});

test('every numbered fault has its row', () => {
  const numbers = new Set(rows.map((row) => row[0]?.replace('| ', '')));
  const hostile = Array.from({ length: 20 }, (_, index) => `H${index + 1}`);
  const wanted = ['A', 'B', 'C', ...Array.from({ length: 16 }, (_, index) => String(index + 1)), ...hostile];
  expect(wanted.filter((number) => !numbers.has(number))).toEqual([]);
});

test('every row names tests that there are', () => {
  const tests = trackedFiles().map((file) => file.replace(/\.test\.ts$/, ''));
  const named = rows.flatMap((row) => (row[4] ?? '').replace(/ \|$/, '').split(', '));
  expect(named.filter((name) => !tests.some((file) => file.includes(`/${name}`) || file.includes(`${name}/`)))).toEqual(
    [],
  );
});
