import { expect, test } from 'vitest';
import { Answers } from './answers.ts';
import { createResolver } from './resolver.ts';
import { keyText, mcp, policy, tableOf, url } from './testing/zones.ts';

const zones = tableOf({
  acme: { ttl: 60, records: [mcp(url('a')), { type: 'KEY', value: keyText('k') }] },
  plain: [mcp(url('p'))],
});
const clock = { now: () => 0 };
const resolver = createResolver(new Answers({ zones, policy, clock }), clock);
const codeOf = (name: string) => resolver.resolve(name).catch((thrown: { code: string }) => thrown.code);

test('a name leads to the descriptor of its endpoint', async () => {
  expect(await Promise.all([resolver.resolve('ai://Acme'), resolver.resolve('plain')])).toEqual([
    {
      ...{ identity: 'ai://acme', mode: 'mcp', source: 'authoritative' },
      ...{ endpoint: url('a'), ttl: 60, key: keyText('k') },
    },
    { identity: 'ai://plain', mode: 'mcp', endpoint: url('p'), ttl: 3600, source: 'authoritative' },
  ]);
});

test('a name that leads nowhere is an error of the room', async () => {
  expect(await Promise.all(['a.b', 'nobody', 'root'].map(codeOf))).toEqual([
    'INVALID_IDENTITY',
    'IDENTITY_NOT_FOUND',
    'PROTECTED',
  ]);
});

test('nobody stands behind what is not signed', async () => {
  expect(resolver.distrust(await resolver.resolve('acme'), [keyText('k')])).toBe('it is not signed');
});
