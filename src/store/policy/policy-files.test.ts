import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { judge } from '../../gateway/policy/decide.ts';
import { PolicyFiles } from './policy-files.ts';

let folder: string;
let file: string;
let database: DatabaseSync;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bindery-policy-'));
  file = join(folder, 'project_mcp.json');
  database = new DatabaseSync(':memory:');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (log = createMemoryLog()) =>
  new PolicyFiles([{ layer: 'project', file }], database, { now: () => 0 }, log);
const decide = (files: PolicyFiles) =>
  judge(files.layers(), { server: 's', tool: 't', resolvePath: (path) => path }).decision.decision;
const write = (text: string) => writeFileSync(file, text);
const GOOD = '{"allowlist":{"servers":["s"]}}';

test('a bad file keeps the last good version, after a restart too [gateway:P8]', () => {
  write(GOOD);
  const files = open();
  write('{"allowlist":{"servers":["s"],"tolls":{}}}');
  files.reload();
  expect([decide(files), files.status()[0]?.status, files.status()[0]?.errors.length]).toEqual(['allow', 'bad', 1]);
  expect(decide(open())).toBe('allow');
});

test('a file that was never good denies everything [gateway:P3]', () => {
  write('nonsense');
  expect(decide(open())).toBe('deny');
});

test('a file that vanishes does not open the gate; a restart accepts its absence [gateway:P8]', () => {
  write('{"allowlist":{"servers":["other"]}}');
  const files = open();
  rmSync(file);
  files.reload();
  expect([decide(files), files.status()[0]?.status]).toEqual(['deny', 'vanished']);
  files.reload();
  expect(decide(files)).toBe('deny');
  expect([decide(open()), open().layers()]).toEqual(['allow', []]);
});

test('a policy that cannot be kept is in use all the same, and one that cannot be read anew stays', () => {
  write(GOOD);
  const log = createMemoryLog();
  const files = open(log);
  database.exec("CREATE TRIGGER full BEFORE INSERT ON policy_versions BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
  write('{"allowlist":{"servers":["other"]}}');
  files.reload();
  files.reload();
  expect([decide(files), files.status()[0]?.status]).toEqual(['deny', 'ok']);
  database.exec('DROP TABLE policy_versions');
  write('nonsense');
  files.reload();
  expect([decide(files), files.status()[0]?.status]).toEqual(['deny', 'ok']);
  expect(log.lines.map(({ level, message }) => [level, message.split(',')[0]])).toEqual([
    ['error', 'the policy is in use'],
    ['error', 'the policy cannot be read anew'],
  ]);
});
