import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { signDescriptor } from '../../src/bind/signed-descriptor.ts';
import { newKeyPem, url } from '../../src/bind/testing/zones.ts';
import { createMemoryLog } from '../../src/contract/testing/memory-log.ts';
import { SigningKeyFile } from '../../src/store/bind/signing-key.ts';
import { root } from '../support/repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'bindery-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the program of the guide verifies a signed descriptor in at most 20 lines, and refuses a changed one', () => {
  const guide = readFileSync(join(root, 'docs/guides/bind.md'), 'utf8');
  const program = /```js\n([\s\S]*?)```/.exec(guide)?.[1] as string;
  expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const keys = new SigningKeyFile(write('signing.pem', newKeyPem()), createMemoryLog());
  const { signer, published } = keys.current as NonNullable<typeof keys.current>;
  const descriptor = {
    identity: 'ai://sentinel',
    mode: 'mcp',
    endpoint: url('sentinel'),
    capabilities: ['é', 'search'],
    ttl: 60,
    source: 'authoritative',
  } as const;
  const signed = signDescriptor(descriptor, signer, Date.now());
  const jwks = write('jwks.json', JSON.stringify({ keys: published }));
  const script = write('verify.mjs', program);
  const verdict = (document: object) =>
    execFileSync(process.execPath, [script, write('descriptor.json', JSON.stringify(document)), jwks], {
      encoding: 'utf8',
    }).trim();
  expect([
    verdict({ ...signed, ttl: 5, trace: { zones: [] } }),
    verdict({ ...signed, endpoint: url('other') }),
    verdict({ ...signed, signature: { ...signed.signature, expires_at: '2999-01-01T00:00:00.000Z' } }),
    verdict(signDescriptor(descriptor, signer, Date.now() - 8_000_000)),
  ]).toEqual(['valid', 'invalid', 'invalid', 'invalid']);
});
