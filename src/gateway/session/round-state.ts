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

/** The key of a question as its client sees it. Requests about tasks carry no state, so each key has a signature of its own. */
export function signQuestionKey(call: RoundCall, asked: string, key: Uint8Array): string {
  const signed = signRoundState({ ...call, asked: [asked] }, key);
  return `${asked}.${signed.slice(signed.lastIndexOf('.') + 1)}`;
}

/** The server's own key of a question, if one of the keys signed it for this call. */
export function readQuestionKey(call: RoundCall, text: string, keys: readonly Uint8Array[]): string | undefined {
  const end = text.lastIndexOf('.');
  const asked = text.slice(0, end);
  const state = signRoundState({ ...call, asked: [asked] }, keys[0] as Uint8Array);
  const given = state.slice(0, state.lastIndexOf('.')) + text.slice(end);
  return end > 0 && readRoundState(given, keys) ? asked : undefined;
}

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
