import { createHmac, timingSafeEqual } from 'node:crypto';

/** A value that a client carries and cannot change: `prefix.payload.signature`. */
export function signJson(prefix: string, value: unknown, key: Uint8Array): string {
  const payload = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${prefix}.${payload}.${signature(prefix, payload, key).toString('base64url')}`;
}

/** The value, if one of the keys signed it; undefined if it was modified. */
export function readSignedJson(prefix: string, text: string, keys: readonly Uint8Array[]): unknown {
  const [given, payload, signed, ...rest] = text.split('.');
  if (given !== prefix || !payload || !signed || rest.length > 0) return undefined;
  const bytes = Buffer.from(signed, 'base64url');
  const valid = keys.some((key) => {
    const expected = signature(prefix, payload, key);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
  return valid ? JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) : undefined;
}

function signature(prefix: string, payload: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${prefix}.${payload}`).digest();
}
