import { expect, test } from 'vitest';
import { createResolver } from './resolver.ts';
import { keyText, mcp, policy, tableOf, url } from './testing/zones.ts';

const zones = tableOf({
  acme: { ttl: 60, records: [mcp(url('a')), { type: 'KEY', value: keyText('k') }] },
  plain: [mcp(url('p'))],
});
const resolver = createResolver(zones, policy);
const codeOf = (name: string) => {
  try {
    return resolver.resolveIdentity(name);
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
};

test('a name leads to an endpoint, a ttl and the key of its owner', () => {
  expect([resolver.resolveIdentity('ai://Acme'), resolver.resolveIdentity('plain')]).toEqual([
    { endpoint: url('a'), ttl: 60, key: keyText('k') },
    { endpoint: url('p'), ttl: 3600 },
  ]);
});

test('a name that leads nowhere is an error of the room', () => {
  expect(['a.b', 'nobody', 'root'].map(codeOf)).toEqual(['INVALID_IDENTITY', 'IDENTITY_NOT_FOUND', 'PROTECTED']);
});
