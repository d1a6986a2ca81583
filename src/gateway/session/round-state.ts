import { readSignedJson, signJson } from './signed-json.ts';

/** The call that a round of questions belongs to. */
export interface RoundCall {
  readonly caller: string;
  readonly profile: string;
  readonly method: string;
  readonly server: string;
  /** Name of the tool or prompt on its server, or the URI there. */
  readonly tool: string;
  readonly arguments_sha256: string;
}

/** The state that a 2026 client returns with its answers to a 2026 server: for which call, and to which questions. */
export interface RoundState extends RoundCall {
  /** The keys of the questions. */
  readonly asked: readonly string[];
  /** The server's own state. */
  readonly upstream?: string;
}

const PREFIX = 'br1';

export function signRoundState(state: RoundState, key: Uint8Array): string {
  return signJson(PREFIX, state, key);
}

/** Whether a state claims to be that of a round of questions. */
export function isRoundState(state: unknown): state is string {
  return typeof state === 'string' && state.startsWith(`${PREFIX}.`);
}

/** The state, if one of the keys signed it; undefined if it was modified. */
export function readRoundState(text: string, keys: readonly Uint8Array[]): RoundState | undefined {
  return readSignedJson(PREFIX, text, keys) as RoundState | undefined;
}
