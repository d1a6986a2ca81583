import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ApprovalKey } from './approval.ts';

/** The state that a 2026 client returns with its retry: which approval, and for which call. */
export interface ApprovalState extends ApprovalKey {
  readonly approval: string;
  /** The server's own state, if it asked a question after the approval was used. */
  readonly upstream?: string;
  /** How many of the server's questions were answered before, so that each is answered only once. */
  readonly round?: number;
}

const PREFIX = 'ba1';

export function signState(state: ApprovalState, key: Uint8Array): string {
  const payload = Buffer.from(JSON.stringify(state)).toString('base64url');
  return `${PREFIX}.${payload}.${signature(payload, key).toString('base64url')}`;
}

/** Whether a state claims to be ours; a server's state passes unchanged. */
export function isOurState(state: unknown): state is string {
  return typeof state === 'string' && state.startsWith(`${PREFIX}.`);
}

/** The state, if one of the keys signed it; undefined if it was modified. */
export function readState(text: string, keys: readonly Uint8Array[]): ApprovalState | undefined {
  const [prefix, payload, signed, ...rest] = text.split('.');
  if (prefix !== PREFIX || !payload || !signed || rest.length > 0) return undefined;
  const given = Buffer.from(signed, 'base64url');
  const valid = keys.some((key) => {
    const expected = signature(payload, key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return valid ? (JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as ApprovalState) : undefined;
}

function signature(payload: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${PREFIX}.${payload}`).digest();
}
