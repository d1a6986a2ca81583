import { type AddressBytes, type AddressRange, inRange, parseAddress, parseRange } from '../../contract/ip-address.ts';
import type { Call } from '../../contract/operation.ts';
import { canonicalText, LOCAL_ADDRESS } from './canonical-address.ts';

export interface ProxyTrust {
  readonly ranges: readonly AddressRange[];
  readonly header: string;
}

/** Which proxies are trusted, and in which header [C5]. Throws on an invalid range. */
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

/** The canonical client address of a call: the peer's, or what a trusted proxy forwards. */
export function clientAddress(call: Pick<Call, 'peerAddress' | 'header'>, trust: ProxyTrust): string {
  const { peerAddress } = call;
  if (peerAddress === undefined) return LOCAL_ADDRESS;
  const { bytes, canonical, isTrusted } = knownPeer(peerAddress, trust);
  if (!bytes || !isTrusted) return canonical;
  return canonicalText(walkForwarded(bytes, call.header(trust.header), trust));
}

interface Peer {
  readonly text: string;
  /** Undefined if the text is no address. */
  readonly bytes: AddressBytes | undefined;
  readonly canonical: string;
  readonly isTrusted: boolean;
}

/** Cache of the last peer: behind a proxy, or on this machine, the next one is the same. */
const lastPeers = new WeakMap<ProxyTrust, Peer>();

function knownPeer(text: string, trust: ProxyTrust): Peer {
  const last = lastPeers.get(trust);
  if (last?.text === text) return last;
  const bytes = parseAddress(text);
  const canonical = bytes ? canonicalText(bytes) : LOCAL_ADDRESS;
  const peer = { text, bytes, canonical, isTrusted: bytes !== undefined && isTrusted(bytes, trust) };
  lastPeers.set(trust, peer);
  return peer;
}

function isTrusted(bytes: AddressBytes, { ranges }: ProxyTrust): boolean {
  return ranges.some((range) => inRange(bytes, range));
}

/** Walks from right to left past trusted proxies; an invalid element ends the walk. */
function walkForwarded(peer: AddressBytes, header: string | undefined, trust: ProxyTrust): AddressBytes {
  let last = peer;
  for (const element of (header ?? '').split(',').reverse()) {
    const bytes = parseAddress(element);
    if (!bytes) return last;
    last = bytes;
    if (!isTrusted(bytes, trust)) return last;
  }
  return last;
}
