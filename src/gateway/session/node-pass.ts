import { createHmac, timingSafeEqual } from 'node:crypto';

const PREFIX = 'bn1';

/** What a node vouches for when it passes a request on to another: who calls, and where. It is good once, for a short time. */
export interface NodePass {
  readonly from: string;
  readonly caller: string;
  /** Whom the caller is for, where an authorization server told. */
  readonly user?: string | undefined;
  readonly profile: string;
  /** No two passes have the same. */
  readonly nonce: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

export function signNodePass(pass: NodePass, key: Uint8Array): string {
  const payload = Buffer.from(JSON.stringify(pass)).toString('base64url');
  return `${PREFIX}.${payload}.${signature(payload, key).toString('base64url')}`;
}

/** The pass that one of the keys signed and that is in time; undefined for any other text. */
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

/** Another purpose, another key: nothing else that the keys sign can be taken for a pass. */
function signature(payload: string, key: Uint8Array): Buffer {
  const passKey = createHmac('sha256', key).update('node-pass').digest();
  return createHmac('sha256', passKey).update(`${PREFIX}.${payload}`).digest();
}
