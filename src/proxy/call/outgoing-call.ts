import type { RawRequestOptions } from '../../wire/upstream.ts';
import type { LogLevels } from '../lists/log-levels.ts';
import type { HeldCalls, HeldTarget } from '../sessions/held-calls.ts';
import type { ClientCall } from './client-call.ts';
import type { Rewrite } from './outgoing-request.ts';

export interface ForwardOptions {
  readonly timeoutMs?: number;
  readonly answerBytesMax: number;
  readonly inputSchema?: unknown;
  readonly logLevels: LogLevels;
  /** The server's name for its questions; undefined in a bare profile, which adds nothing to them. */
  readonly asker: string | undefined;
  /** Signs the state of a round of questions; absent for requests that cannot carry answers. */
  readonly signRound?: (asked: readonly string[], upstream: string | undefined) => string;
  /** Signs the key of a question of the task that the request is about; absent for other requests. */
  readonly signKey?: (key: string) => string;
  /** Whether other clients' calls run on the same connection. */
  readonly scope?: RawRequestOptions['scope'];
  /** Holds the call while its server waits for the answer to a question. */
  readonly held: { readonly calls: HeldCalls; readonly target: HeldTarget };
}

/** A request ready to be sent to a server. */
export interface OutgoingCall extends ClientCall {
  readonly rewrite: Rewrite;
  readonly options: ForwardOptions;
}
