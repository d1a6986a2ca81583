import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { oauthSettings } from '../../src/gateway/identity/protected-resource.ts';
import { checkServerEntry } from '../../src/host/config/server-entry.ts';
import { root } from '../support/repository.ts';

test('the config of the page about identity is one that the gateway takes', () => {
  const page = readFileSync(join(root, 'docs/identity.md'), 'utf8');
  const config = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
  const entries = Object.entries(config.mcp.servers).map(([id, entry]) => checkServerEntry(id, entry));
  expect(oauthSettings(config.gateway.auth.oauth)).toEqual(config.gateway.auth.oauth);
  expect(entries.map(({ reason, warnings }) => [reason, warnings])).toEqual(entries.map(() => [undefined, []]));
});
