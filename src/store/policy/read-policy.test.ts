import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { judge, type LayerName } from '../../gateway/policy/decide.ts';
import { PolicyFiles } from './policy-files.ts';
import { PolicyVersions, policyVersion } from './policy-versions.ts';
import { readPolicy } from './read-policy.ts';

let folder: string;
let database: DatabaseSync;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bindery-read-policy-'));
  database = new DatabaseSync(':memory:');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const GOOD = '{"allowlist":{"servers":["s"]}}';
const WARNED = '{"other":1,"allowlist":{"servers":["s"]}}';
const put = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

test('a text that did not change is not parsed again, another one is', () => {
  const file = put('a.json', GOOD);
  const before = readPolicy(file);
  expect([before?.text, readPolicy(file, { before }) === before, readPolicy(file) === before]).toEqual([
    GOOD,
    true,
    false,
  ]);
  put('a.json', WARNED);
  expect(readPolicy(file, { before })?.text).toBe(WARNED);
});

test('a file is read up to its size, and a missing one is none', () => {
  const read = (bytesMax: number | undefined) => readPolicy(put('a.json', GOOD), { bytesMax })?.text;
  expect([read(GOOD.length), read(GOOD.length - 1), read(undefined), readPolicy(join(folder, 'none.json'))]).toEqual([
    GOOD,
    null,
    GOOD,
    undefined,
  ]);
  const large = put('b.json', GOOD.padEnd(GATEWAY_LIMITS.policyFileBytesMax + 1));
  expect(readPolicy(large)?.policy.findings[0]?.message).toMatch(/^the file cannot be read: /);
});

test('a file that is not UTF-8 says so, and one with a BOM is read', () => {
  const file = join(folder, 'a.json');
  writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
  expect(readPolicy(file)).toMatchObject({
    text: null,
    policy: { document: undefined, findings: [{ message: 'the file cannot be read: it is not UTF-8' }] },
  });
  put('a.json', `\uFEFF${GOOD}`);
  expect(readPolicy(file)?.policy.document !== undefined).toBe(true);
});

test('the policy of a project may not lead out of its folder, that of a person may', () => {
  mkdirSync(join(folder, 'project'));
  const outside = put('outside.json', GOOD);
  const file = join(folder, 'project', 'project_mcp.json');
  symlinkSync(outside, file);
  const status = (layer: LayerName) =>
    new PolicyFiles([{ layer, file }], {
      versions: new PolicyVersions(new DatabaseSync(':memory:')),
      clock: { now: () => 0 },
      log: createMemoryLog(),
    }).status()[0]?.status;
  expect([status('project'), status('global'), status('file')]).toEqual(['bad', 'ok', 'ok']);
});

test('a version has the digest of its text and the time at which it was loaded', () => {
  const version = policyVersion('abc', Date.parse('2026-11-18T00:00Z'));
  expect(version).toEqual({
    text: 'abc',
    sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    loaded_at: '2026-11-18T00:00:00.000Z',
  });
  const versions = new PolicyVersions(database);
  const beside = new PolicyVersions(database, true);
  versions.keep('f', version);
  beside.keep('g', version);
  expect([
    { ...versions.find('f') },
    versions.find('g'),
    beside.forget('f'),
    versions.forget('f'),
    versions.forget('f'),
  ]).toEqual([version, undefined, false, true, false]);
});

test('several files are layers in their order, each with its own status, and one that is not there is none', () => {
  let now = 0;
  const [one, other, none] = [put('a.json', GOOD), put('b.json', WARNED), join(folder, 'none.json')];
  const files = new PolicyFiles(
    [
      { layer: 'global', file: one },
      { layer: 'profile', file: none },
      { layer: 'project', file: other },
    ],
    { versions: new PolicyVersions(database), clock: { now: () => now }, log: createMemoryLog() },
  );
  const sha256 = (text: string) => policyVersion(text, 0).sha256;
  const loaded_at = '1970-01-01T00:00:00.000Z';
  const ok = { status: 'ok', errors: [], warnings: [], loaded_at };
  expect([files.files, files.paths.map(({ layer }) => layer), files.layers().map(({ layer }) => layer)]).toEqual([
    [one, none, other],
    ['global', 'profile', 'project'],
    ['global', 'project'],
  ]);
  const warnings = [expect.objectContaining({ level: 'warning', pointer: '/other' })];
  expect(files.status()).toEqual([
    { ...ok, layer: 'global', file: one, sha256: sha256(GOOD) },
    { ...ok, layer: 'project', file: other, sha256: sha256(WARNED), warnings },
  ]);

  now = 60_000;
  put('a.json', '{');
  put('b.json', GOOD);
  const [first] = files.layers();
  files.reload();
  expect([files.layers()[0] === first, files.status()]).toEqual([
    true,
    [
      {
        ...ok,
        ...{ layer: 'global', file: one, sha256: sha256(GOOD), status: 'bad' },
        errors: [expect.objectContaining({ level: 'error' })],
      },
      { ...ok, layer: 'project', file: other, sha256: sha256(GOOD), loaded_at: '1970-01-01T00:01:00.000Z' },
    ],
  ]);
});

test('a file that comes later is a layer from the next look on; one that was never good has no version', () => {
  const file = join(folder, 'a.json');
  const versions = new PolicyVersions(database);
  const files = new PolicyFiles([{ layer: 'project', file }], {
    versions,
    clock: { now: () => 0 },
    log: createMemoryLog(),
  });
  const decide = () => judge(files.layers(), { server: 's', tool: 't', now: undefined }).decision.decision;
  const before = [decide(), files.status()];
  put('a.json', '{');
  files.reload();
  const bad = [decide(), files.status()[0]?.status, files.status()[0]?.sha256, files.status()[0]?.loaded_at];
  put('a.json', GOOD);
  files.reload();
  expect([before, bad, decide(), versions.find(file)?.text]).toEqual([
    ['allow', []],
    ['deny', 'bad', null, null],
    'allow',
    GOOD,
  ]);
  rmSync(file);
  files.accept();
  expect([decide(), files.status(), versions.find(file)]).toEqual(['allow', [], undefined]);
});

test('a layer stays the same object as long as its text does, even if two layers share a file', () => {
  const [one, other] = [put('a.json', GOOD), put('b.json', WARNED)];
  const paths = [
    { layer: 'global', file: one },
    { layer: 'project', file: one },
    { layer: 'global', file: other },
  ] as const;
  const log = createMemoryLog();
  const files = new PolicyFiles(paths, { versions: new PolicyVersions(database), clock: { now: () => 0 }, log });
  const before = files.layers();
  files.reload();
  expect(before.map(({ layer, file }) => ({ layer, file }))).toEqual(paths);
  expect(files.layers().map((layer, index) => layer === before[index])).toEqual([true, true, true]);
  expect(log.lines).toEqual([]);
});
