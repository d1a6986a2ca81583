import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../support/repository.ts';

const run = promisify(execFile);

test('the bin on a Node that is too old says so in one sentence and exits 1, before anything else is loaded', async () => {
  // The check reads process.versions alone, so an old Node is one whose version says so.
  const folder = mkdtempSync(join(tmpdir(), 'bindery-old-node-'));
  for (const file of ['bindery.js', 'node-version.js']) copyFileSync(join(root, 'bin', file), join(folder, file));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'old.cjs'), "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");
  const failed = await run(process.execPath, [
    '--require',
    join(folder, 'old.cjs'),
    join(folder, 'bindery.js'),
    '--version',
  ]).catch((error: { code: number; stdout: string; stderr: string }) => error);
  expect(failed).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^error: Bindery needs Node 22\.19 or newer, and this is Node 20\.20\.2\.\nnext: [^\n]+\.\n$/,
    ),
  });
});

test('the check and package.json name the same version', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const check = readFileSync(join(root, 'bin', 'node-version.js'), 'utf8');
  const [major, minor] = [/MAJOR_MIN = (\d+)/, /MINOR_MIN = (\d+)/].map((pattern) => pattern.exec(check)?.[1]);
  expect(engines.node).toBe(`>=${major}.${minor}`);
});

test('the warning of SQLite alone is left out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-warnings-'));
  copyFileSync(join(root, 'bin', 'node-version.js'), join(folder, 'node-version.js'));
  const files = {
    'package.json': '{"type":"module"}',
    'compile-cache.js': 'export function keepCompiledCode() {}',
    'entry.js': "export const entry = (name) => new URL('./' + name + '.js', import.meta.url).href;",
    'warns.js': `export function warn() {
      process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
      process.emitWarning('Another is an experimental feature', 'ExperimentalWarning');
      process.emitWarning('SQLite is an experimental feature, says a library', { type: 'LibraryWarning', code: 'L1' });
    }`,
    'main.js':
      "import { runWithSupportedNode } from './node-version.js';\nawait runWithSupportedNode('warns', ({ warn }) => warn());",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { stderr } = await run(process.execPath, [join(folder, 'main.js')]);
  expect([...stderr.matchAll(/\w+Warning: [^\n]*/g)].map(([line]) => line)).toEqual([
    'ExperimentalWarning: Another is an experimental feature',
    'LibraryWarning: SQLite is an experimental feature, says a library',
  ]);
});
