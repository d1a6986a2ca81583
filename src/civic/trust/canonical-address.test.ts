import { describe, expect, test } from 'vitest';
import { canonicalAddress, isLoopback } from './canonical-address.ts';

describe('canonicalAddress [civic:C6]', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:443', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:8080', '203.0.113.7'],
    ['::203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '::1'],
    ['::', '::'],
  ])('%s is %s', (text, canonical) => {
    expect(canonicalAddress(text)).toBe(canonical);
  });

  test.each([
    '',
    'unknown',
    '203.0.113',
    '203.0.113.256',
    '01.2.3.4',
    '1:2:3',
    '2001::db8::1',
    '1:2:3:4:5:6:7:8:9',
    '::g',
    '[::1',
    '1:2:3:4:5:6:7::8:9',
  ])('%j is no address', (text) => {
    expect(canonicalAddress(text)).toBeUndefined();
  });

  test('addresses of one /64 are one, and the neighbour is another', () => {
    const of = (text: string) => canonicalAddress(text);
    expect([of('2001:db8::1') === of('2001:db8::ffff:1'), of('2001:db8::1') === of('2001:db8:0:1::1')]).toEqual([
      true,
      false,
    ]);
  });

  test('only this machine is loopback [civic:X2]', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', 'local', '128.0.0.1', '::'].map(isLoopback)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
