import { type AddressBytes, inRange, isV4, parseAddress, parseRange } from './ip-address.ts';

type Row = readonly [range: string, reason: string];

/** Every range of the IANA special-purpose registry of IPv4, and multicast. The first match gives the reason. */
const V4_ROWS: readonly Row[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared by carriers'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignment'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
];

/** The same for IPv6. Addresses that contain an IPv4 address are refused, except NAT64 (see `notPublicBytes`). */
const V6_ROWS: readonly Row[] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible'],
  ['64:ff9b:1::/48', 'local NAT64'],
  ['100::/64', 'discard'],
  ['100:0:0:1::/64', 'dummy'],
  ['2001::/32', 'Teredo'],
  ['2001::/23', 'protocol assignment'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['ff00::/8', 'multicast'],
];

const V4_RANGES = V4_ROWS.map(rangeOf);
const V6_RANGES = V6_ROWS.map(rangeOf);
/** Addresses outside of this range are not assigned. */
const GLOBAL_UNICAST = rangeOf(['2000::/3', '']).range;
const NAT64 = rangeOf(['64:ff9b::/96', '']).range;
const LOOPBACK_RANGES = [rangeOf(['127.0.0.0/8', '']).range, rangeOf(['::1/128', '']).range];

/**
 * Last labels that no public server has. `test`, `invalid`, `onion` and `alt` never exist in the public DNS, so a
 * resolver that answers for them is local; the others are used inside networks. `arpa` includes `home.arpa`. `example`
 * is absent: documentation uses it for public servers, and if it resolves, the address decides.
 */
const LOCAL_LABELS: ReadonlySet<string> = new Set([
  'alt',
  'arpa',
  'corp',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'test',
]);

/** Why an IP address is not public, such as `loopback`; undefined: it is. Any other text is not public. */
export function notPublicAddress(text: string): string | undefined {
  const bytes = parseAddress(text);
  return bytes ? notPublicBytes(bytes) : 'no address';
}

/**
 * Why the host of a parsed URL (IPv6 with or without brackets) is not public, by its spelling alone; undefined: it may
 * be. `URL` has already normalised every spelling of an address. The address of a name is checked when it is dialled.
 */
export function notPublicHost(hostname: string): string | undefined {
  if (hostname.includes(':')) {
    const bytes = parseAddress(hostname);
    // This form is not used for public addresses, but it gets past checks that compare text.
    return bytes && isV4(bytes) ? 'IPv4-mapped' : notPublicAddress(hostname);
  }
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  const lastDot = name.lastIndexOf('.');
  const lastLabel = name.slice(lastDot + 1);
  const first = lastLabel.charCodeAt(0);
  // If the last label of a URL's host is a number, the host is an IPv4 address.
  if (first >= 48 && first <= 57 && parseAddress(name)) return notPublicAddress(name);
  if (LOCAL_LABELS.has(lastLabel.toLowerCase())) return 'local name';
  if (lastDot < 0) return 'single label';
  return name.startsWith('.') || name.includes('..') || lastLabel === '' ? 'malformed name' : undefined;
}

/** Whether a host (of a URL, a flag or a socket) is this machine: a loopback address, `localhost` or a name below it. */
export function isLoopbackHost(host: string): boolean {
  const bytes = parseAddress(host);
  if (bytes) return LOOPBACK_RANGES.some((range) => inRange(bytes, range));
  return /^(.+\.)?localhost\.?$/i.test(host);
}

function notPublicBytes(bytes: AddressBytes): string | undefined {
  if (isV4(bytes)) return V4_RANGES.find(({ range }) => inRange(bytes, range))?.reason;
  // In IPv6-only networks, resolvers map public IPv4 addresses to such addresses: they are as public as those.
  if (inRange(bytes, NAT64)) return notPublicAddress(bytes.subarray(12).join('.'));
  const special = V6_RANGES.find(({ range }) => inRange(bytes, range));
  return special?.reason ?? (inRange(bytes, GLOBAL_UNICAST) ? undefined : 'reserved');
}

function rangeOf([text, reason]: Row) {
  const range = parseRange(text);
  if (!range) throw new TypeError(`not an address range: ${text}`);
  return { range, reason };
}
