import { createHmac, timingSafeEqual } from 'node:crypto';

const PREFIX = 'bn1';

/** A node's signed statement for a forwarded request: who calls which profile. Valid once, for a short time. */
export interface NodePass {
  readonly from: string;
  readonly caller: string;
  /** The user of the caller, if an authorization server named one. */
  readonly user?: string | undefined;
  readonly profile: string;
  /** Unique per pass. */
  readonly nonce: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

export function signNodePass(pass: NodePass, key: Uint8Array): string {
  const payload = Buffer.from(JSON.stringify(pass)).toString('base64url');
  return `${PREFIX}.${payload}.${signature(payload, key).toString('base64url')}`;
}

/** The pass, if one of the keys signed it and it has not expired; otherwise undefined. */
export function readNodePass(text: string, keys: readonly Uint8Array[], nowMs: number): NodePass | undefined {
  const [prefix, payload, signed, ...rest] = text.split('.');
  if (prefix !== PREFIX || !payload || !signed || rest.length > 0) return undefined;
  const given = Buffer.from(signed, 'base64url');
  const isOurs = keys.some((key) => {
    const expected = signature(payload, key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isOurs) return undefined;
  const pass = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as NodePass;
  return pass.expiresAt > nowMs ? pass : undefined;
}

/** Derives a key for this purpose only, so that no other signature by the same key can be used as a pass. */
function signature(payload: string, key: Uint8Array): Buffer {
  const passKey = createHmac('sha256', key).update('node-pass').digest();
  return createHmac('sha256', passKey).update(`${PREFIX}.${payload}`).digest();
}
