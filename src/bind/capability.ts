import { lowerAscii } from './identity.ts';

const TOKEN = /^[a-z0-9][a-z0-9._:/-]{0,63}$/;

/** A capability in the form used for comparison; undefined if the text is not a token. */
export function parseCapability(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const token = lowerAscii(text);
  return TOKEN.test(token) ? token : undefined;
}

/** Capabilities as a sorted set; undefined if the value is not an array of tokens. */
export function parseCapabilities(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const tokens: string[] = [];
  for (const item of value) {
    const token = parseCapability(item);
    if (token === undefined) return undefined;
    tokens.push(token);
  }
  return sortedSet(tokens);
}

/** Distinct tokens by code point. */
export function sortedSet(tokens: readonly string[]): readonly string[] {
  return tokens.length < 2 ? tokens : [...new Set(tokens)].sort();
}

/** Members of the first set that the second has too; the order of the first stays. */
export function intersect(left: readonly string[], right: readonly string[]): readonly string[] {
  if (right.length <= 16) return left.filter((token) => right.includes(token));
  const members = new Set(right);
  return left.filter((token) => members.has(token));
}
