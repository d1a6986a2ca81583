/** An address as sixteen bytes; IPv4 in its IPv4-mapped form. */
export type AddressBytes = Uint8Array;

/** A range of addresses, as `10.0.0.0/8` or `2001:db8::/32`; a bare address is a range of one. */
export interface AddressRange {
  readonly bytes: AddressBytes;
  /** Counted on the sixteen bytes. */
  readonly prefixBits: number;
}

/** Parses an address from a header or a socket: brackets, port and zone are allowed and dropped. */
export function parseAddress(text: string): AddressBytes | undefined {
  const bare = bareAddress(text.trim());
  return bare.includes(':') ? parseV6(bare) : parseV4Mapped(bare);
}

export function parseRange(text: string): AddressRange | undefined {
  const [address = '', bits, ...more] = text.trim().split('/');
  const bytes = address.includes(':') ? parseV6(address) : parseV4Mapped(address);
  if (!bytes || more.length > 0) return undefined;
  if (bits === undefined) return { bytes, prefixBits: 128 };
  const offset = address.includes(':') ? 0 : 96;
  const prefixBits = /^\d{1,3}$/.test(bits) ? Number(bits) + offset : Number.NaN;
  return prefixBits >= 0 && prefixBits <= 128 ? { bytes, prefixBits } : undefined;
}

export function inRange(bytes: AddressBytes, range: AddressRange): boolean {
  const whole = range.prefixBits >> 3;
  for (let i = 0; i < whole; i++) if (bytes[i] !== range.bytes[i]) return false;
  const rest = range.prefixBits & 7;
  if (rest === 0) return true;
  const mask = 0xff << (8 - rest);
  return ((bytes[whole] as number) & mask) === ((range.bytes[whole] as number) & mask);
}

export function isV4(bytes: AddressBytes): boolean {
  return bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

function bareAddress(text: string): string {
  if (PLAIN_V4.test(text)) return text;
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  const inner = bracketed ? (bracketed[1] as string) : text.replace(/^([^:]*):\d{1,5}$/, '$1');
  return inner.replace(/%.*$/, '');
}

const PLAIN_V4 = /^[\d.]+$/;
const V4 = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/;

function parseV4(text: string): number[] | undefined {
  const parts = V4.exec(text);
  if (!parts) return undefined;
  const bytes = [Number(parts[1]), Number(parts[2]), Number(parts[3]), Number(parts[4])];
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseV4Mapped(text: string): AddressBytes | undefined {
  const v4 = parseV4(text);
  if (!v4) return undefined;
  const bytes = new Uint8Array(16);
  bytes[10] = 0xff;
  bytes[11] = 0xff;
  bytes.set(v4, 12);
  return bytes;
}

function parseV6(text: string): AddressBytes | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] as string, halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1] as string, true) : [];
  if (!head || !tail) return undefined;
  const gap = 16 - head.length - tail.length;
  if (halves.length === 1 ? gap !== 0 : gap < 2) return undefined;
  return Uint8Array.from([...head, ...new Array<number>(gap).fill(0), ...tail]);
}

/** Groups of 16 bits as bytes; the last one of an address may be dotted. */
function parseGroups(text: string, last: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (last && index === groups.length - 1 && group.includes('.')) {
      const v4 = parseV4(group);
      if (!v4) return undefined;
      bytes.push(...v4);
    } else {
      if (!/^[0-9a-f]{1,4}$/i.test(group)) return undefined;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return bytes;
}
