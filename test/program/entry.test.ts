import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '../support/repository.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bindery-entry-'));
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, modifiedS: number): void {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), '');
  utimesSync(join(folder, file), modifiedS, modifiedS);
}

async function entry(): Promise<string> {
  const { entry: entryOf } = await import(pathToFileURL(join(folder, 'bin', 'entry.js')).href);
  return (entryOf('start') as string).slice(pathToFileURL(folder).href.length);
}

test('a published package runs the joined files', async () => {
  write('dist/bundle/start.js', 1);
  expect(await entry()).toBe('/dist/bundle/start.js');
});

test('a checkout runs the joined files while they are as new as what was compiled', async () => {
  write('dist/bundle/start.js', 2);
  write('.tsbuildinfo/src', 2);
  expect(await entry()).toBe('/dist/bundle/start.js');
});

test('what was compiled since runs as it is', async () => {
  write('dist/bundle/start.js', 1);
  write('.tsbuildinfo/src', 2);
  expect(await entry()).toBe('/dist/cli/start.js');
});

test('without joined files the compiled ones run', async () => {
  expect(await entry()).toBe('/dist/cli/start.js');
});
