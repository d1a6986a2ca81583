import { BIND_LIMITS } from './limits.ts';

export interface Endpoint {
  /** The canonical URL: lower-case host, punycode, no default port. */
  readonly href: string;
  /** Loopback, link-local, private or unspecified: served only where that is allowed. */
  readonly isPrivate: boolean;
}

/** The canonical form of an MCP endpoint; undefined where the value is no acceptable HTTPS URL. */
export function parseEndpoint(value: unknown): Endpoint | undefined {
  if (typeof value !== 'string' || value.length > BIND_LIMITS.endpointLengthMax) return undefined;
  if (/[\s\p{Cc}]/u.test(value)) return undefined;
  if (!URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.protocol !== 'https:' || url.hostname === '' || url.port === '0') return undefined;
  if (hasUserinfo(value) || value.includes('#')) return undefined;
  if (url.href.length > BIND_LIMITS.endpointLengthMax) return undefined;
  // Most values are canonical already; sharing the string keeps a zone small in memory.
  return { href: url.href === value ? value : url.href, isPrivate: isPrivateHost(url.hostname) };
}

/** Also an empty one (`https://@host/`), which the parsed URL no longer shows. */
function hasUserinfo(value: string): boolean {
  const authority = value.replace(/^[^:]*:[/\\]*/, '').split(/[/\\?#]/, 1)[0] as string;
  return authority.includes('@');
}

function isPrivateHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return isPrivateIpv6(hostname.slice(1, -1));
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) && isPrivateIpv4(host.split('.').map(Number));
}

function isPrivateIpv4([a = 0, b = 0]: readonly number[]): boolean {
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168)
  );
}

function isPrivateIpv6(address: string): boolean {
  const groups = expandIpv6(address);
  const head = groups[0] as number;
  if (groups.slice(0, 5).every((group) => group === 0)) {
    const [fifth, high, low] = [groups[5] as number, groups[6] as number, groups[7] as number];
    const isMappedIpv4 = fifth === 0xffff;
    if (isMappedIpv4 || (fifth === 0 && high === 0 && low <= 1)) return true;
  }
  const isUniqueLocal = (head & 0xfe00) === 0xfc00;
  const isLinkLocal = (head & 0xffc0) === 0xfe80;
  return isUniqueLocal || isLinkLocal;
}

/** The eight groups of an address as the URL parser writes it. */
function expandIpv6(address: string): number[] {
  const [left = '', right] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  if (right === undefined) return groups(left);
  const [head, tail] = [groups(left), groups(right)];
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}
