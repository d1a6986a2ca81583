import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAPPED, NAT64, naivePublicV4, naivePublicV6, V4_EDGES, V6_EDGES } from '../../test/naive/public-address.ts';
import { isLoopbackHost, notPublicAddress, notPublicHost } from './public-address.ts';

const hostOf = (written: string) => new URL(`http://${written}/`).hostname;
const dotted = (address: bigint) => [24n, 16n, 8n, 0n].map((bits) => (address >> bits) & 255n).join('.');
const near = (edges: readonly bigint[], max: bigint) =>
  fc
    .tuple(fc.constantFrom(...edges), fc.integer({ min: -2, max: 2 }))
    .map(([edge, step]) => edge + BigInt(step))
    .filter((address) => address >= 0n && address <= max);
const v4 = fc.oneof(near(V4_EDGES, 2n ** 32n - 1n), fc.bigInt(0n, 2n ** 32n - 1n));
const v6 = fc.oneof(
  near(V6_EDGES, 2n ** 128n - 1n),
  fc.bigInt(0n, 2n ** 128n - 1n),
  fc.bigInt(1n << 125n, (1n << 126n) - 1n),
  v4.map((low) => MAPPED + low),
  v4.map((low) => NAT64 + low),
  v4.map((low) => low),
);

/** The groups of an address, perhaps with zeros, capitals, a gap or a dotted end. */
const writtenV6 = (address: bigint, style: { pad: boolean; upper: boolean; gap: boolean; dots: boolean }) => {
  const groups = Array.from({ length: 8 }, (_, at) => ((address >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
  const shown = groups.map((group) => (style.pad ? group.padStart(4, '0') : group));
  const end = style.dots ? [dotted(address & 0xffff_ffffn)] : shown.slice(6);
  const all = [...shown.slice(0, 6), ...end];
  const text = all.join(':');
  const gapped = style.gap ? text.replace(/(?:^|:)(?:0+:)+/, '::') : text;
  return style.upper ? gapped.toUpperCase() : gapped;
};
const style = fc.record({ pad: fc.boolean(), upper: fc.boolean(), gap: fc.boolean(), dots: fc.boolean() });

describe('an address', () => {
  test('of IPv4 is public where the naive model says so', () => {
    fc.assert(
      fc.property(v4, (address) => {
        expect(notPublicAddress(dotted(address)) === undefined).toBe(naivePublicV4(address));
      }),
      { numRuns: 5000 },
    );
  });

  test('of IPv6 is public where the naive model says so, however it is written', () => {
    fc.assert(
      fc.property(v6, style, (address, how) => {
        const written = writtenV6(address, how);
        expect([written, notPublicAddress(written) === undefined]).toEqual([written, naivePublicV6(address)]);
      }),
      { numRuns: 10_000 },
    );
  });

  test.each([
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['::127.0.0.1', 'IPv4-compatible'],
    ['64:ff9b:1::7f00:1', 'local NAT64'],
    ['2002:7f00:1::', '6to4'],
    ['2002:808:808::', '6to4'],
    ['2001:0:808:808::1', 'Teredo'],
    ['169.254.169.254', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fd00:ec2::254', 'private'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['100.64.0.1', 'shared by carriers'],
    ['198.19.255.255', 'benchmarking'],
    ['255.255.255.255', 'reserved'],
    ['4000::1', 'reserved'],
    ['nonsense', 'no address'],
    ['', 'no address'],
  ])('%s is not public: %s', (text, reason) => {
    expect(notPublicAddress(text)).toBe(reason);
  });

  test.each(['8.8.8.8', '::ffff:8.8.8.8', '64:ff9b::808:808', '2606:4700::1111', '100.63.255.255', '198.20.0.0'])(
    '%s is public',
    (text) => {
      expect(notPublicAddress(text)).toBe(undefined);
    },
  );
});

describe('a host', () => {
  test('that is an IPv4 address is judged as that address, in every spelling that a URL takes', () => {
    const radix = fc.constantFrom(8, 10, 16);
    fc.assert(
      fc.property(v4, fc.integer({ min: 1, max: 4 }), radix, fc.boolean(), (address, parts, base, dot) => {
        const shown = (value: bigint) => (base === 8 ? '0' : base === 16 ? '0x' : '') + value.toString(base);
        const bytes = [24n, 16n, 8n, 0n].map((bits) => (address >> bits) & 255n);
        const rest = address & ((1n << BigInt(8 * (5 - parts))) - 1n);
        const written = [...bytes.slice(0, parts - 1), rest].map(shown).join('.') + (dot ? '.' : '');
        expect([written, notPublicHost(hostOf(written))]).toEqual([written, notPublicAddress(dotted(address))]);
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['localhost', 'local name'],
    ['LOCALHOST', 'local name'],
    ['localhost.', 'local name'],
    ['a.b.localhost', 'local name'],
    ['ｌｏｃａｌｈｏｓｔ', 'local name'],
    ['metadata.google.internal', 'local name'],
    ['metadata.google.internal.', 'local name'],
    ['printer.local', 'local name'],
    ['router.home.arpa', 'local name'],
    ['a.test', 'local name'],
    ['a.invalid', 'local name'],
    ['nas.lan', 'local name'],
    ['internal', 'local name'],
    ['intranet', 'local name'],
    ['redis', 'single label'],
    ['redis.', 'single label'],
    ['a..example', 'malformed name'],
    ['a..', 'malformed name'],
    ['.a.example', 'malformed name'],
    ['１２７。0。0。1', 'loopback'],
    ['127.1', 'loopback'],
    ['0x7f.1', 'loopback'],
    ['017700000001', 'loopback'],
    ['2130706433', 'loopback'],
    ['127.0.0.1.', 'loopback'],
    ['[::1]', 'loopback'],
    ['[0:0::1]', 'loopback'],
    ['[::ffff:127.0.0.1]', 'IPv4-mapped'],
    ['[::ffff:8.8.8.8]', 'IPv4-mapped'],
    ['[64:ff9b::10.0.0.1]', 'private'],
  ])('%s is not public: %s', (written, reason) => {
    expect(notPublicHost(hostOf(written))).toBe(reason);
  });

  test.each([
    'a.example',
    'a.example.',
    'localhost.example',
    'notlocalhost.example',
    'internal.example.com',
    'bücher.example',
    '1.example',
    'a.1e',
    '8.8.8.8',
    '[2606:4700::1111]',
  ])('%s may be public', (written) => {
    expect(notPublicHost(hostOf(written))).toBe(undefined);
  });

  test('is this machine where it is a loopback address or a name of it', () => {
    const own = ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', '127.0.0.1', '127.8.9.1', '::1', '[::1]'];
    const other = ['localhost.example', 'notlocalhost', '.localhost', '0.0.0.0', '::', '[::2]', '128.0.0.1', ''];
    expect([...own, ...other].filter(isLoopbackHost)).toEqual(own);
  });
});
