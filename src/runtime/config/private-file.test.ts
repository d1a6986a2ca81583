import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { BEARER_RULE } from '../../contract/bearer-token.ts';
import { credentialKeys, credentialKeysProblem, privateFile, privateKey, privateToken } from './private-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'bindery-private-'));
const file = join(dir, 'session.key');

beforeEach(() => rmSync(file, { force: true }));
afterAll(() => rmSync(dir, { recursive: true }));

function codeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (thrown) {
    return [(thrown as { code?: string }).code, (thrown as Error).message];
  }
}

describe('a private file', () => {
  test('is made once, for its owner alone, and nothing else stays beside it', () => {
    const made = privateFile(file, () => 'first');
    const again = privateFile(file, () => 'second');
    expect([made, again, statSync(file).mode & 0o777, readdirSync(dir)]).toEqual([
      'first',
      'first',
      0o600,
      ['session.key'],
    ]);
  });

  test('is that of the process which made it first', () => {
    const content = privateFile(file, () => {
      writeFileSync(file, 'of another\n');
      return 'mine';
    });
    expect([content, readFileSync(file, 'utf8'), readdirSync(dir)]).toEqual([
      'of another',
      'of another\n',
      ['session.key'],
    ]);
  });

  test('is not there when it could not be written', () => {
    const module = JSON.stringify(new URL('private-file.ts', import.meta.url).href);
    const script = `(await import(${module})).privateFile(${JSON.stringify(file)}, () => 'secret')`;
    const limited = ['-c', 'ulimit -f 0; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', script];
    const { status, stderr } = spawnSync('sh', limited, { encoding: 'utf8' });
    expect([status, /EFBIG/.test(stderr), readdirSync(dir)]).toEqual([1, true, []]);
  });

  test('that is empty is refused as a secret', () => {
    writeFileSync(file, '\n');
    const refused = ['STORE_UNAVAILABLE', `${file} is empty`];
    expect([codeOf(() => privateFile(file, () => 'x')), codeOf(() => privateKey(file))]).toEqual([refused, refused]);
  });
});

describe('a private key', () => {
  test('has 32 bytes, the same ones each time', () => {
    const key = privateKey(file);
    expect([key.length, privateKey(file).equals(key)]).toEqual([32, true]);
  });

  test('that is shorter is refused', () => {
    writeFileSync(file, 'c2hvcnQ\n');
    expect(codeOf(() => privateKey(file))).toEqual(['STORE_UNAVAILABLE', `${file} is no key of 32 bytes`]);
  });
});

test('a private token is made once, and one that no header can carry is refused', () => {
  const token = privateToken(file);
  expect([token.length, privateToken(file)]).toEqual([43, token]);
  writeFileSync(file, 'schlüssel\n');
  const refused = ['STORE_UNAVAILABLE', `${file} has a token that cannot be sent: ${BEARER_RULE}`];
  expect(codeOf(() => privateToken(file))).toEqual(refused);
});

test('damaged keys for credentials are named with their file; keys that are not there yet are no problem', () => {
  const keys = join(dir, 'credentials.key');
  expect(credentialKeysProblem(dir)).toBeUndefined();
  credentialKeys(dir);
  expect(credentialKeysProblem(dir)).toBeUndefined();
  writeFileSync(keys, `${readFileSync(keys, 'utf8')}older xxxx\n`);
  expect(credentialKeysProblem(dir)).toMatch(`${keys} cannot be used: key 2 is damaged. Put back the file of a backup`);
  expect(codeOf(() => credentialKeys(dir))).toEqual(['STORE_UNAVAILABLE', expect.any(String)]);
  writeFileSync(keys, '');
  expect(credentialKeysProblem(dir)).toMatch(`${keys} is empty. `);
  rmSync(keys);
});
