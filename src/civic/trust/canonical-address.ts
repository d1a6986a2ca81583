import { type AddressBytes, isV4, parseAddress } from '../../contract/ip-address.ts';
import { isLoopbackHost } from '../../contract/public-address.ts';

/** The address of callers without a socket: a command, a library, an in-process test. */
export const LOCAL_ADDRESS = 'local';

/**
 * One text per network that a single person holds [C6]: IPv4 (also inside IPv6) unchanged, other IPv6 as its /64. Undefined if the text is
 * no address.
 */
export function canonicalAddress(text: string): string | undefined {
  const bytes = parseAddress(text);
  return bytes && canonicalText(bytes);
}

/** Whether a canonical address is a loopback address [X2]. */
export function isLoopback(canonical: string): boolean {
  return canonical === LOCAL_ADDRESS || isLoopbackHost(canonical);
}

export function canonicalText(bytes: AddressBytes): string {
  if (isV4(bytes) || isV4Compatible(bytes)) return bytes.subarray(12).join('.');
  if (bytes.subarray(0, 15).every((byte) => byte === 0)) return bytes[15] === 1 ? '::1' : '::';
  const groups = [0, 2, 4, 6].map((at) => (((bytes[at] as number) << 8) | (bytes[at + 1] as number)).toString(16));
  return `${groups.join(':')}::/64`;
}

/** `::a.b.c.d`; the unspecified and the loopback address share its prefix and are excluded. */
function isV4Compatible(bytes: AddressBytes): boolean {
  return bytes.subarray(0, 12).every((byte) => byte === 0) && !bytes.subarray(12, 15).every((byte) => byte === 0);
}
