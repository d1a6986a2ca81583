import type { Span } from './digit-chains.ts';
import { SCRUB_LIMITS } from './limits.ts';

/** The decoded text of a URL part, and its position. */
export interface DecodedPart extends Span {
  readonly text: string;
}

export const URL_LIKE = /(?:https?|ftp|mailto):[^\s<>"'`]{1,4000}/gi;
const PERCENT = /%[0-9A-Fa-f]{2}/;
const BASE64 = /(?<![A-Za-z0-9+/_=%-])[A-Za-z0-9+_-]{11,}={0,2}(?![A-Za-z0-9+_%])/g;

/** A long word of only base64 letters. */
const BASE64_WORD = /(?<![A-Za-z0-9+/_=.:-])[A-Za-z0-9+/_-]{20,2000}={0,2}(?![A-Za-z0-9+/_=-])/g;

/** Decodes percent escapes and base64 in URLs, so that they hide nothing. `whole` treats the whole text as one URL. */
export function decodeUrlParts(text: string, whole: boolean): DecodedPart[] {
  const parts: DecodedPart[] = [];
  if (!whole) {
    for (const { index, 0: word } of text.matchAll(BASE64_WORD)) {
      const plain = decodeHex(word) ?? decodeBase64(word);
      if (plain !== undefined) parts.push({ start: index, end: index + word.length, text: plain });
    }
  }
  if (!whole && !text.includes(':')) return parts;
  const urls = whole
    ? [{ index: 0, url: text }]
    : [...text.matchAll(URL_LIKE)].map((m) => ({ index: m.index, url: m[0] }));
  for (const { index, url } of urls) {
    for (const piece of url.matchAll(/[^/?&#=;]+/g)) {
      const start = index + piece.index;
      const decoded = decodeRepeatedly(piece[0]);
      const span = { start, end: start + piece[0].length };
      if (decoded !== piece[0]) parts.push({ ...span, text: decoded });
      for (const match of (decoded.length === piece[0].length ? piece[0] : decoded).matchAll(BASE64)) {
        const plain = decodeBase64(match[0]);
        if (plain !== undefined) parts.push({ ...span, text: plain });
      }
    }
    // A number or address may continue across URL separators.
    if (PERCENT.test(url)) parts.push({ start: index, end: index + url.length, text: decodeRepeatedly(url) });
  }
  return parts;
}

/** A text without its percent escapes, also where they were escaped again. */
export function decodeRepeatedly(text: string): string {
  let decoded = text;
  for (let round = 0; round < SCRUB_LIMITS.decodeRounds && PERCENT.test(decoded); round++) {
    decoded = decoded.replace(/(?:%[0-9A-Fa-f]{2}){1,400}/g, (escapes) => {
      const bytes = Uint8Array.from(escapes.slice(1).split('%'), (hex) => Number.parseInt(hex, 16));
      return new TextDecoder().decode(bytes);
    });
  }
  return decoded;
}

/** The text that pairs of hexadecimal digits stand for; undefined if it is not printable. */
export function decodeHex(text: string): string | undefined {
  if (!HEX.test(text) || text.length > SCRUB_LIMITS.base64CharsMax) return undefined;
  return printable(Buffer.from(text, 'hex'));
}

const HEX = /^(?:[0-9a-f]{2}){8,}$/i;

/** The decoded text of base64 or base64url; undefined if it is not printable. */
export function decodeBase64(text: string): string | undefined {
  const plain = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '');
  if (plain.length % 4 === 1 || plain.length > SCRUB_LIMITS.base64CharsMax) return undefined;
  try {
    const bytes = Uint8Array.from(atob(plain), (char) => char.charCodeAt(0));
    return printable(bytes);
  } catch {
    return undefined;
  }
}

function printable(bytes: Uint8Array): string | undefined {
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\s]*$/u.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}
