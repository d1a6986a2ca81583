import { describe, expect, test } from 'vitest';
import { collapse } from './collapse.ts';
import { rawRecords } from './raw-records.ts';
import { readZone } from './read-zone.ts';
import { caps, cascade, keyText, mcp, policy, tableOf, url, type ZoneTexts, zoneText } from './testing/zones.ts';
import type { Zone } from './zone.ts';

const read = (zone: ZoneTexts[string]) => readZone('acme', Buffer.from(zoneText('acme', zone)));
const state = (zone: ZoneTexts[string]) => read(zone).state;
const outcome = (zone: ZoneTexts[string]) => {
  const collapsed = collapse(tableOf({ acme: zone }), { name: 'acme' }, policy);
  return collapsed.ok ? 'descriptor' : `${collapsed.failure.code} ${String(collapsed.failure.members.reason ?? '')}`;
};

describe('an unreadable zone', () => {
  test.each([
    ['is not JSON', '{'],
    ['begins with a byte order mark', '\ufeff{"identity":"acme","records":[]}'],
    ['is empty', ''],
    ['is a list', '[]'],
    ['is null', 'null'],
    ['has no records', '{"identity":"acme"}'],
    ['has records that are no list', '{"identity":"acme","records":{}}'],
    ['has no identity', '{"records":[]}'],
    ['has another identity', '{"identity":"other","records":[]}'],
    ['has another spelling of its identity', '{"identity":"ai://acme","records":[]}'],
    ['has its identity in upper case', '{"identity":"Acme","records":[]}'],
    ['is nested too deeply', `{"identity":"acme","records":[${'['.repeat(70)}${']'.repeat(70)}]}`],
  ])('[bind:U7] [bind:U8] %s', (_name, text) => {
    const zone = read(text);
    expect([zone.state, rawRecords(zone, policy), outcome(text)]).toEqual([
      'unreadable',
      undefined,
      'ZONE_CORRUPT corrupt',
    ]);
  });

  test('[bind:U7] is not UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"identity":"acme","records":[],"info":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    expect(readZone('acme', bytes).state).toBe('unreadable');
  });
});

describe('a malformed zone fails in MCP mode and is served with warnings in default mode', () => {
  test.each<[string, object[] | object]>([
    ['[bind:U10] a record that is no object', [null]],
    ['[bind:U10] a record without a type', [{ value: 1 }]],
    ['[bind:U10] a record whose type is no string', [{ type: 5 }]],
    ['[bind:U12] an MCP record without priority', [{ type: 'MCP', value: url('a') }]],
    ['[bind:U12] [bind:A1] a priority that is a text', [mcp(url('a'), '5')]],
    ['[bind:U12] [bind:A1] a priority with a fraction', [mcp(url('a'), 1.5)]],
    ['[bind:U12] [bind:A1] a priority that is a boolean', [mcp(url('a'), true)]],
    ['[bind:U12] [bind:A1] a priority above 32 bits', [mcp(url('a'), 2 ** 31)]],
    ['[bind:U12] [bind:A1] a priority below 32 bits', [mcp(url('a'), -(2 ** 31) - 1)]],
    ['[bind:U13] a CAPS priority that is null', [mcp(url('a')), { ...caps('x'), priority: null }]],
    ['[bind:U13] a KEY priority that is a text', [mcp(url('a')), { type: 'KEY', value: keyText('k'), priority: '1' }]],
    ['[bind:U14] CAPS that are no list', [mcp(url('a')), { type: 'CAPS', value: 'search' }]],
    ['[bind:U14] CAPS with a bad token', [mcp(url('a')), caps('a b')]],
    ['[bind:U14] CAPS with a letter that only looks like k', [mcp(url('a')), caps('\u212a')]],
    ['[bind:U14] capabilities of a record that are no list', [mcp(url('a'), 1, { capabilities: 'x' })]],
    ['[bind:U14] capabilities of a value with a number', [mcp({ endpoint: url('a'), capabilities: [1] })]],
    ['[bind:U15] a record ttl that is a text', [mcp(url('a'), 1, { ttl: '60' })]],
    ['[bind:U15] a CAPS ttl that is null', [mcp(url('a')), { ...caps('x'), ttl: null }]],
    ['[bind:U15] a zone ttl with a fraction', { ttl: 1.5, records: [mcp(url('a'))] }],
    ['[bind:U21] a malformed key', [mcp(url('a')), { type: 'KEY', value: 'ed25519:BASE64...' }]],
    ['[bind:U22] a CASCADE value that is no text', [mcp(url('a')), { type: 'CASCADE', value: {} }]],
  ])('%s', (_name, zone) => {
    const text = zoneText('acme', zone as ZoneTexts[string]);
    const raw = rawRecords(read(text), policy);
    expect([state(text), outcome(text), raw?.records]).toEqual([
      'malformed',
      'ZONE_CORRUPT corrupt',
      JSON.parse(text).records,
    ]);
    expect(raw?.warnings.filter((issue) => issue.level === 'error').length).toBeGreaterThan(0);
  });
});

describe('a sound zone', () => {
  test.each<[string, object[] | object]>([
    ['[bind:U12] a priority written as 5.0 or 1e1', [mcp(url('a'), 5.0), mcp(url('b'), 1e1)]],
    ['[bind:A1] the least and the greatest priority', [mcp(url('a'), -(2 ** 31)), mcp(url('b'), 2 ** 31 - 1)]],
    [
      '[bind:U13] no priority of CAPS, KEY and CASCADE',
      [caps('x'), cascade('b'), { type: 'KEY', value: keyText('k') }],
    ],
    ['[bind:U15] a ttl out of range', { ttl: -5, records: [mcp(url('a'), 1, { ttl: 1e9 })] }],
    ['[bind:U11] nonsense in a type that plays no part', [{ type: 'TXT', priority: 'x', ttl: null, value: 5 }]],
    ['[bind:U27] an endpoint that is no URL', [mcp(5)]],
    ['[bind:U14] tokens in upper case', [caps('SEARCH', 'a.b:c/d-e')]],
  ])('%s', (_name, zone) => {
    expect(state(zone as ZoneTexts[string])).toBe('sound');
  });

  test('is ready to be ranked', () => {
    const zone = read({
      ttl: 60,
      records: [
        mcp('HTTPS://A.example', 1),
        mcp('x', 2),
        caps('b', 'A'),
        cascade('AI://Up', 5),
        cascade('ac.me', 6),
        { type: 'KEY', value: keyText('k') },
      ],
    });
    const expected: Zone = {
      name: 'acme',
      text: zone.text,
      state: 'sound',
      ttl: 60,
      endpoints: [
        { priority: 2, position: 1, endpoint: undefined, isPrivate: false, declared: undefined, ttl: undefined },
        {
          priority: 1,
          position: 0,
          endpoint: 'https://a.example/',
          isPrivate: false,
          declared: undefined,
          ttl: undefined,
        },
      ],
      allowed: ['a', 'b'],
      cascades: [
        { target: undefined, value: 'ac.me' },
        { target: 'up', value: 'AI://Up' },
      ],
      keys: [keyText('k')],
    };
    expect(zone).toEqual(expected);
  });
});

describe('default mode', () => {
  test('[bind:S5] [bind:A15] [bind:X11] gives the own records as they are stored, and nothing is made up', () => {
    const records = [mcp(url('a'), 1, { note: 'kept' }), cascade('up'), { type: 'FUTURE', deep: [{ x: null }] }];
    const zone = read(JSON.stringify({ identity: 'acme', records }));
    expect(rawRecords(zone, policy)).toEqual({ identity: 'ai://acme', records, ttl: 3600, warnings: [] });
  });

  test('[bind:A12] invalid endpoints and keys are listed, private endpoints where they are not allowed', () => {
    const zone = read([mcp('http://x/'), mcp('https://10.0.0.1/'), { type: 'KEY', value: 'x' }]);
    const warned = (allowPrivateEndpoints: boolean) =>
      rawRecords(zone, { ...policy, allowPrivateEndpoints })?.warnings.map(({ code, record }) => [code, record]);
    expect([warned(false), warned(true)]).toEqual([
      [
        ['invalid_endpoint', 0],
        ['private_endpoint', 1],
        ['invalid_key', 2],
      ],
      [
        ['invalid_endpoint', 0],
        ['invalid_key', 2],
      ],
    ]);
  });
});
