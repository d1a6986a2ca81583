import { type AddressBytes, isV4, parseAddress } from '../../contract/ip-address.ts';
import { isLoopbackHost } from '../../contract/public-address.ts';

/** What stands for a caller without a socket: a command, a library, a test in process. */
export const LOCAL_ADDRESS = 'local';

/**
 * One text per network that one person holds [C6]: IPv4 (also inside IPv6) as it is, other IPv6 as its /64.
 * Undefined: the text is no address.
 */
export function canonicalAddress(text: string): string | undefined {
  const bytes = parseAddress(text);
  return bytes && canonicalText(bytes);
}

/** Whether a canonical address is this machine's own [X2]. */
export function isLoopback(canonical: string): boolean {
  return canonical === LOCAL_ADDRESS || isLoopbackHost(canonical);
}

export function canonicalText(bytes: AddressBytes): string {
  if (isV4(bytes) || isV4Compatible(bytes)) return bytes.subarray(12).join('.');
  if (bytes.subarray(0, 15).every((byte) => byte === 0)) return bytes[15] === 1 ? '::1' : '::';
  const groups = [0, 2, 4, 6].map((at) => (((bytes[at] as number) << 8) | (bytes[at + 1] as number)).toString(16));
  return `${groups.join(':')}::/64`;
}

/** `::a.b.c.d`; the unspecified address and the loopback share its prefix and are not meant. */
function isV4Compatible(bytes: AddressBytes): boolean {
  return bytes.subarray(0, 12).every((byte) => byte === 0) && !bytes.subarray(12, 15).every((byte) => byte === 0);
}
