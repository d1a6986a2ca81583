import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TokenStore } from '../oauth/token-store.ts';
import { HostRedactor } from './host-redactor.ts';
import { ObservedTokens } from './observed-tokens.ts';

test('a token that another process stored is masked once it is read', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'bindery-observed-')), 'mcp-auth.json');
  const redactor = new HostRedactor();
  const tokens = new ObservedTokens(file, redactor);
  await new TokenStore(file).update('s', () => ({ access_token: 'of-another-process' }));
  await tokens.get('s');
  await tokens.update('s', () => ({ access_token: 'of-this-process' }));
  expect(redactor.text('no account for of-another-process or of-this-process')).toBe('no account for *** or ***');
});
