/** First and last address of each range that is not public, written from the IANA registries by hand. */
const CLOSED_V4: readonly (readonly [string, string])[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['192.175.48.0', '192.175.48.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
];

/** Sixteen bytes as eight groups of hexadecimal digits, all of them written. */
const CLOSED_V6: readonly (readonly [string, string])[] = [
  // Everything before global unicast; mapped and NAT64 addresses are looked at first.
  ['0000:0000:0000:0000:0000:0000:0000:0000', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:0000:0000:0000:0000:0000:0000:0000', '2001:01ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:0db8:0000:0000:0000:0000:0000:0000', '2001:0db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002:0000:0000:0000:0000:0000:0000:0000', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2620:004f:8000:0000:0000:0000:0000:0000', '2620:004f:8000:ffff:ffff:ffff:ffff:ffff'],
  ['3fff:0000:0000:0000:0000:0000:0000:0000', '3fff:0fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  // Everything behind it.
  ['4000:0000:0000:0000:0000:0000:0000:0000', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

export const V4_EDGES: readonly bigint[] = CLOSED_V4.flat().map(naiveV4);
export const V6_EDGES: readonly bigint[] = CLOSED_V6.flat().map(naiveV6);
export const MAPPED = 0xffffn << 32n;
export const NAT64 = 0x64_ff9bn << 96n;

/** Whether an IPv4 address, as a number, is public. */
export function naivePublicV4(address: bigint): boolean {
  return !CLOSED_V4.some(([first, last]) => naiveV4(first) <= address && address <= naiveV4(last));
}

/** Whether an IPv6 address, as a number, is public. */
export function naivePublicV6(address: bigint): boolean {
  const [before, v4] = [address - (address % 2n ** 32n), address % 2n ** 32n];
  if (before === MAPPED || before === NAT64) return naivePublicV4(v4);
  return !CLOSED_V6.some(([first, last]) => naiveV6(first) <= address && address <= naiveV6(last));
}

export function naiveV4(text: string): bigint {
  return text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

export function naiveV6(text: string): bigint {
  return BigInt(`0x${text.replaceAll(':', '')}`);
}

const CLOSED_NAMES =
  /(^|\.)(alt|arpa|corp|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion|private|test)\.?$/;

/** Whether the host of a parsed URL may be public. */
export function naivePublicHost(host: string): boolean {
  if (host.startsWith('[')) {
    const address = naiveV6(allGroups(host.slice(1, -1)));
    return naivePublicV6(address) && address - (address % 2n ** 32n) !== MAPPED;
  }
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return naivePublicV4(naiveV4(host));
  const labels = host.replace(/\.$/, '').split('.');
  return labels.length > 1 && labels.every((label) => label !== '') && !CLOSED_NAMES.test(host);
}

/** Writes out what `::` stands for, and the zeros before each group. */
function allGroups(text: string): string {
  const [left, right] = text.split('::').map((half) => half.split(':').filter((group) => group !== '')) as [
    string[],
    string[]?,
  ];
  const gap = Array.from({ length: 8 - left.length - (right?.length ?? 0) }, () => '0');
  return [...left, ...gap, ...(right ?? [])].map((group) => group.padStart(4, '0')).join(':');
}
