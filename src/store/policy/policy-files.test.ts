import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { judge, type LayerName } from '../../gateway/policy/decide.ts';
import { PolicyFiles } from './policy-files.ts';
import { PolicyVersions } from './policy-versions.ts';

let folder: string;
let file: string;
let database: DatabaseSync;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bindery-policy-'));
  file = join(folder, 'project_mcp.json');
  database = new DatabaseSync(':memory:');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = { now: () => 0 };
const open = (log = createMemoryLog(), layer: LayerName = 'project') =>
  new PolicyFiles([{ layer, file }], { versions: new PolicyVersions(database), clock, log });
/** As a command beside the gateway reads the files. */
const look = (inForce: boolean) =>
  new PolicyFiles([{ layer: 'project', file }], {
    versions: new PolicyVersions(database),
    clock,
    log: createMemoryLog(),
    inForce: () => inForce,
  });
const decide = (files: PolicyFiles) =>
  judge(files.layers(), { server: 's', tool: 't', now: undefined }).decision.decision;
const write = (text: string) => writeFileSync(file, text);
const statusOf = (files: PolicyFiles) => files.status()[0]?.status;
const GOOD = '{"allowlist":{"servers":["s"]}}';
const OTHER = '{"allowlist":{"servers":["other"]}}';

test('a bad file keeps the last good version, after a restart too [gateway:P8]', () => {
  write(GOOD);
  const files = open();
  write('{"allowlist":{"servers":["s"],"tolls":{}}}');
  files.reload();
  expect([decide(files), statusOf(files), files.status()[0]?.errors.length]).toEqual(['allow', 'bad', 1]);
  expect(decide(open())).toBe('allow');
});

test('a file that was never good denies everything [gateway:P3]', () => {
  write('nonsense');
  expect(decide(open())).toBe('deny');
});

test('a file that vanishes does not open the gate; a restart accepts its absence and says so [gateway:P8]', () => {
  write(OTHER);
  const files = open();
  rmSync(file);
  files.reload();
  expect([decide(files), statusOf(files)]).toEqual(['deny', 'vanished']);
  files.reload();
  expect(decide(files)).toBe('deny');
  const log = createMemoryLog();
  const restarted = open(log);
  expect([decide(restarted), restarted.layers(), log.lines]).toEqual([
    'allow',
    [],
    [
      {
        level: 'warn',
        message: 'policy: the removal of the file was accepted',
        fields: { layer: 'project', file },
      },
    ],
  ]);
});

test('a version whose text did not change stays the same layer, so that decisions may be kept by it', () => {
  write(GOOD);
  const files = open();
  const [layer] = files.layers();
  rmSync(file);
  files.reload();
  write(GOOD);
  files.reload();
  expect([files.layers()[0] === layer, statusOf(files)]).toEqual([true, 'ok']);
});

test('a reader stores and forgets no version, and sees a missing file as the gateway does', () => {
  write(GOOD);
  expect([decide(look(false)), new PolicyVersions(database).find(file)]).toEqual(['allow', undefined]);
  write(OTHER);
  open();
  rmSync(file);
  const beside = look(true);
  expect([decide(beside), statusOf(beside), decide(look(false)), look(false).layers()]).toEqual([
    'deny',
    'vanished',
    'allow',
    [],
  ]);
  expect(new PolicyVersions(database).find(file)?.text).toBe(OTHER);
});

test('a policy that cannot be stored is in force all the same, and stays if it cannot be reloaded', () => {
  write(GOOD);
  const log = createMemoryLog();
  const files = open(log);
  database.exec("CREATE TRIGGER full BEFORE INSERT ON policy_versions BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
  write(OTHER);
  files.reload();
  files.reload();
  expect([decide(files), statusOf(files)]).toEqual(['deny', 'ok']);
  database.exec('DROP TABLE policy_versions');
  rmSync(file);
  files.reload();
  expect([decide(files), statusOf(files)]).toEqual(['deny', 'vanished']);
  expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
    ['error', 'the policy is in force, but its last good version cannot be stored'],
  ]);
});

/** What may stand where a policy file is looked for, and cannot be read as one. */
const strange: readonly (readonly [string, () => void])[] = [
  ['a folder', () => mkdirSync(file)],
  ['a pipe that nobody writes to', () => execFileSync('mkfifo', [file])],
  ['a link to a device that never ends', () => symlinkSync('/dev/zero', file)],
  ['a link to a device that is empty', () => symlinkSync('/dev/null', file)],
  ['a link that leads nowhere', () => symlinkSync(join(folder, 'nowhere'), file)],
  ['a link to itself', () => symlinkSync(file, file)],
  ['bytes that are not UTF-8', () => writeFileSync(file, Buffer.from('{"allowlist":{"servers":["\xff"]}}', 'latin1'))],
  [
    'a file of one byte more than may be',
    () => {
      write(GOOD);
      truncateSync(file, GATEWAY_LIMITS.policyFileBytesMax + 1);
    },
  ],
];

describe.each(strange)('%s in the place of a policy file', (_name, put) => {
  test('refuses a start if a person named it [gateway:P1]', () => {
    put();
    expect(() => open(createMemoryLog(), 'file')).toThrow(expect.objectContaining({ code: 'POLICY_FILE_UNREADABLE' }));
  });

  test('denies everything if it was found by default, or keeps the last good version [gateway:P3] [gateway:P8]', () => {
    put();
    expect([decide(open()), statusOf(open())]).toEqual(['deny', 'bad']);
    rmSync(file, { recursive: true });
    write(GOOD);
    const files = open();
    rmSync(file);
    put();
    files.reload();
    expect([decide(files), statusOf(files), decide(open())]).toEqual(['allow', 'bad', 'allow']);
  });
});

describe('a file that a person named', () => {
  const named = () => open(createMemoryLog(), 'file');
  const UNREADABLE = expect.objectContaining({
    code: 'POLICY_FILE_UNREADABLE',
    detail: expect.stringContaining('project_mcp'),
  });

  test('refuses a start if it is missing, even if it was good before [gateway:P1]', () => {
    expect(named).toThrow(UNREADABLE);
    write(GOOD);
    named();
    rmSync(file);
    expect(named).toThrow(UNREADABLE);
  });

  test('is not dropped by accepting its absence: the last good version stays [gateway:P8]', () => {
    write(OTHER);
    const files = named();
    rmSync(file);
    files.reload();
    expect(() => files.accept()).toThrow(UNREADABLE);
    expect([decide(files), statusOf(files)]).toEqual(['deny', 'vanished']);
  });

  test('that is empty or cut in the middle denies everything, or keeps what was good [gateway:P3] [gateway:P8]', () => {
    for (const text of ['', '   \n', GOOD.slice(0, 20)]) {
      database = new DatabaseSync(':memory:');
      write(text);
      const fresh = named();
      write(GOOD);
      fresh.reload();
      const good = decide(fresh);
      write(text);
      fresh.reload();
      expect([text, good, decide(fresh), statusOf(fresh)]).toEqual([text, 'allow', 'allow', 'bad']);
    }
    database = new DatabaseSync(':memory:');
    write('');
    expect([decide(named()), statusOf(named())]).toEqual(['deny', 'bad']);
  });

  test('at the limit of its size is read', () => {
    write(GOOD.padEnd(GATEWAY_LIMITS.policyFileBytesMax, ' '));
    expect([decide(named()), statusOf(named())]).toEqual(['allow', 'ok']);
  });
});

test('a policy of a project has a smaller limit than one that a person named: it is read at every change [gateway:P8]', () => {
  const { projectPolicyBytesMax: max } = GATEWAY_LIMITS;
  const ofBytes = (bytes: number) => GOOD.padEnd(bytes, ' ');
  const judged = (layer: LayerName, bytes: number) => {
    write(ofBytes(bytes));
    const files = new PolicyFiles([{ layer, file }], {
      versions: new PolicyVersions(new DatabaseSync(':memory:')),
      clock,
      log: createMemoryLog(),
    });
    return [decide(files), statusOf(files)];
  };
  expect([judged('project', max), judged('project', max + 1), judged('global', max + 1)]).toEqual([
    ['allow', 'ok'],
    ['deny', 'bad'],
    ['allow', 'ok'],
  ]);
});
