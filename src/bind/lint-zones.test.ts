import { expect, test } from 'vitest';
import { lintCandidate, lintZones } from './lint-zones.ts';
import { caps, cascade, keyText, mcp, policy, tableOf, url, type ZoneTexts } from './testing/zones.ts';

const lint = (zones: ZoneTexts, name = 'acme') =>
  lintZones(tableOf(zones), [name], policy).map(({ level, code, record }) => [level, code, record]);

test('a sound zone among others has no issues', () => {
  expect(lint({ acme: [mcp(url('a')), cascade('up')], up: [mcp(url('up'), 1)] })).toEqual([]);
});

test('[bind:N9] cascades that lead nowhere, in a circle, too far or to a reserved name are errors', () => {
  expect([
    lint({ acme: [mcp(url('a')), cascade('gone')] }),
    lint({ acme: [mcp(url('a')), cascade('b')], b: [cascade('acme')] }),
    lint({ acme: [mcp(url('a')), cascade('b')], b: '{' }),
    lint({ acme: [mcp(url('a')), cascade('b')], b: [cascade('root')] }),
  ]).toEqual([
    [['error', 'dangling_cascade', undefined]],
    [['error', 'cascade_cycle', undefined]],
    [['error', 'cascade_corrupt', undefined]],
    [['error', 'cascade_protected', undefined]],
  ]);
});

test('[bind:N9] records that are never selected are pointed out, and those that some request selects are not', () => {
  const offers = (...capabilities: string[]) => ({ capabilities });
  const ranked = [
    mcp(url('a'), 5, offers('x', 'y')),
    mcp(url('b'), 4, offers('x')),
    mcp(url('c'), 3, offers('z')),
    mcp(url('d'), 2),
    mcp(url('e'), 1, offers('y', 'z')),
  ];
  expect(lint({ acme: ranked })).toEqual([
    ['warning', 'shadowed', 1],
    ['warning', 'shadowed', 3],
  ]);
  expect(lint({ acme: [mcp(url('a'), 5, offers('x')), caps('y')] })).toEqual([['warning', 'unreachable', 0]]);
  expect(lint({ acme: [mcp(url('a'), 5), cascade('up')], up: [mcp(url('up'), 9)] })).toEqual([
    ['warning', 'shadowed', 0],
  ]);
});

test('[bind:N9] duplicate endpoints, placeholder keys and unknown members are found', () => {
  const acme = {
    extra: 1,
    records: [
      mcp(url('a'), 2, { capabilities: ['x'] }),
      mcp(`${url('a').replace('/mcp', ':443/mcp')}`, 1, { capabilities: ['y'] }),
      { type: 'KEY', value: keyText('\0') },
      { type: 'KEY', value: 'ed25519:BASE64...' },
    ],
  };
  expect(lint({ acme })).toEqual([
    ['error', 'invalid_key', 3],
    ['warning', 'unknown_member', undefined],
    ['error', 'placeholder_key', 2],
    ['warning', 'duplicate_endpoint', 1],
  ]);
});

test('[bind:N10] names that look alike are found, the reserved ones as errors', () => {
  expect([
    lint({ acme: [mcp(url('a'))], acrne: [] }),
    lint({ paypa1: [mcp(url('a'))], paypal: [] }, 'paypa1'),
    lint({ g00gle: [mcp(url('a'))] }, 'g00gle'),
  ]).toEqual([
    [['warning', 'homograph', undefined]],
    [['warning', 'homograph', undefined]],
    [['error', 'homograph', undefined]],
  ]);
});

test('a zone that is not stored yet is checked as if it stood among the others', () => {
  const zone = { identity: 'b', created_at: '2026-01-01T00:00:00Z', contact: '@b', records: [cascade('acme')] };
  const zones = tableOf({ acme: [mcp(url('a')), cascade('b')] });
  expect(lintCandidate(zones, 'b', zone, policy).map(({ code }) => code)).toEqual(['cascade_cycle']);
});
