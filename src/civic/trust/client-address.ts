import type { Call } from '../../contract/operation.ts';
import { canonicalText, LOCAL_ADDRESS } from './canonical-address.ts';
import { type AddressBytes, type AddressRange, inRange, parseAddress, parseRange } from './ip-address.ts';

export interface ProxyTrust {
  readonly ranges: readonly AddressRange[];
  readonly header: string;
}

/** Which peers may speak for others, and in which header [C5]. Throws on a range that does not parse. */
export function trustProxies(ranges: readonly string[], header = 'x-forwarded-for'): ProxyTrust {
  return {
    header: header.toLowerCase(),
    ranges: ranges.map((text) => {
      const range = parseRange(text);
      if (!range) throw new TypeError(`not an address range: ${text}`);
      return range;
    }),
  };
}

/** The canonical address that a call counts under: the peer's, or what a trusted proxy says. */
export function clientAddress(call: Pick<Call, 'peerAddress' | 'header'>, trust: ProxyTrust): string {
  const peer = call.peerAddress === undefined ? undefined : parseAddress(call.peerAddress);
  if (!peer) return LOCAL_ADDRESS;
  const isTrusted = (bytes: AddressBytes) => trust.ranges.some((range) => inRange(bytes, range));
  if (!isTrusted(peer)) return canonicalText(peer);
  return canonicalText(walkForwarded(peer, call.header(trust.header), isTrusted));
}

/** From right to left past trusted proxies; an element that does not parse ends the walk. */
function walkForwarded(
  peer: AddressBytes,
  header: string | undefined,
  isTrusted: (bytes: AddressBytes) => boolean,
): AddressBytes {
  let last = peer;
  for (const element of (header ?? '').split(',').reverse()) {
    const bytes = parseAddress(element);
    if (!bytes) return last;
    last = bytes;
    if (!isTrusted(bytes)) return last;
  }
  return last;
}
