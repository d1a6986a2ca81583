import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/repository.ts';

const folder = join(root, 'dist', 'bundle');
const START = join(folder, 'start.js');

/** The files that load with one of the joined files, itself included. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const imports = readFileSync(join(folder, file), 'utf8').matchAll(/^(?:import|export)\b.*?"\.\/([^"]+)";$/gm);
  for (const [, name = ''] of imports) loadedWith(name, loaded);
  return loaded;
}

function bytes(files: ReadonlySet<string>): number {
  return [...files].reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

test('a start loads few files, and the process that guards children next to nothing', () => {
  if (!existsSync(START)) {
    console.log('There are no joined files (node scripts/bundle.js makes them).');
    return;
  }
  const up = /import\("\.\/(up-[^"]+)"\)/.exec(readFileSync(START, 'utf8'))?.[1] as string;
  expect({
    up: loadedWith(up).size < 40,
    guard: bytes(loadedWith('spawner-process.js')) < 16_384,
    records: bytes(loadedWith('audit-thread-worker.js')) < 32_768,
  }).toEqual({ up: true, guard: true, records: true });
});
