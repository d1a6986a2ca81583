import type { Era, Implementation, TransportKind } from '../../../wire/upstream.ts';

export type ServerState = 'disabled' | 'connecting' | 'auth_required' | 'ready' | 'error';

/** What is known of a server right now; reading it never waits. */
export interface ServerStatus {
  readonly id: string;
  readonly transport: TransportKind;
  readonly state: ServerState;
  /** Why it is in that state, for people: `idle`, `untrusted`, `reconnecting in 4 s (attempt 3)` … */
  readonly reason: string | undefined;
  readonly connected: boolean;
  readonly era: Era | undefined;
  readonly protocolVersion: string | undefined;
  readonly serverInfo: Implementation | undefined;
  /** Tools currently available. */
  readonly tools: number;
  readonly lastError: string | undefined;
  /** It is in error by the word of others alone. */
  readonly isHearsay?: boolean;
  /** Milliseconds since 1970. */
  readonly lastConnectedAt: number | undefined;
  /** When the server was last asked whether it is well, whatever came of it, in milliseconds since 1970. */
  readonly lastProbedAt: number | undefined;
  /** The masked tail of what a stdio server wrote to stderr. */
  readonly stderr: string | undefined;
}
