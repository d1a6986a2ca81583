import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/repository.ts';

/** Modules that are loaded with another one, at once. */
function loadedWith(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\s+(?!type\b)([^;'"]*?)\s*(?:from\s+)?'([^']+)';/gm);
  return [...statements]
    .filter(([, names = '']) => !/^\{\s*(?:type \w+(?: as \w+)?,?\s*)+\}$/.test(names))
    .map(([, , from = '']) => (from.startsWith('.') ? join(file, '..', from) : from));
}

test('with one node and SQLite nothing of PostgreSQL is loaded, nor what several nodes need', () => {
  const loaded = new Set(['src/cli/up.ts']);
  for (const file of loaded) if (file.endsWith('.ts')) for (const next of loadedWith(file)) loaded.add(next);
  const late = ['pg', 'src/store/postgres/open-database.ts', 'src/runtime/nodes/several-nodes.ts', 'node:https'];
  expect([late.filter((name) => loaded.has(name)), loaded.has('src/runtime/gateway-assembly.ts')]).toEqual([[], true]);
});
