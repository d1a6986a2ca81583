import { readSignedJson, signJson } from '../session/signed-json.ts';
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
  return signJson(PREFIX, state, key);
}

/** Whether a state claims to be ours; a server's state passes unchanged. */
export function isOurState(state: unknown): state is string {
  return typeof state === 'string' && state.startsWith(`${PREFIX}.`);
}

/** The state, if one of the keys signed it; undefined if it was modified. */
export function readState(text: string, keys: readonly Uint8Array[]): ApprovalState | undefined {
  return readSignedJson(PREFIX, text, keys) as ApprovalState | undefined;
}
