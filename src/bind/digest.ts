import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** RFC 8785 text. A string with a lone surrogate has none; its plain JSON is as unique and is used instead. */
export function canonicalJson(value: unknown): string {
  try {
    return canonicalize(value) ?? 'null';
  } catch {
    return JSON.stringify(value);
  }
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A strong entity tag, quotes included. */
export function toEtag(canonicalText: string): string {
  return `"sha256-${createHash('sha256').update(canonicalText).digest('base64url')}"`;
}
