import type { JsonObject } from '../../contract/json.ts';
import type { SessionClaims, SessionOwner } from '../../gateway/session/session-id.ts';
import type { Client } from '../message/client.ts';
import { expiryOf, type Session, type SessionTable } from '../sessions/session-table.ts';

/** Session data that all nodes share. */
export interface SharedSessionStore {
  find(owner: SessionOwner): Promise<{ readonly ended: boolean; readonly state: JsonObject } | undefined>;
  save(owner: SessionOwner, row: { ended: boolean; state: JsonObject }): Promise<void>;
}

export interface ReplicatedSessionsOptions {
  readonly shared: SharedSessionStore;
  /** The local table also stores what this node learned, so that it survives while the database is unreachable. */
  readonly sessions: () => SessionTable;
  /** A session in memory has ended for good: data kept for other nodes can be deleted. */
  onEnd(client: Client): void;
  now(): number;
}

/** Sessions that are valid at every node. A node reads the shared row when it first sees a session, and ends are broadcast. */
export class ReplicatedSessions {
  readonly #options: ReplicatedSessionsOptions;

  constructor(options: ReplicatedSessionsOptions) {
    this.#options = options;
  }

  /** Loads the shared data of a session that is new to this node. */
  async load(id: unknown): Promise<void> {
    const claims = typeof id === 'string' ? this.#options.sessions().unloadedClaims(id) : undefined;
    if (!claims) return;
    const row = await this.#options.shared.find(ownerOf(claims)).catch((thrown: unknown) => {
      // The signed id carries the caller and its capabilities, so plain calls work while the database is unreachable.
      if (claims.c === undefined) throw thrown;
      return undefined;
    });
    // If this fails, the session is not served: it may have ended elsewhere.
    if (row) this.#options.sessions().save(claims, row);
  }

  /** A session began here: stores what its id cannot carry for the other nodes. */
  async begun({ claims, client }: Session): Promise<void> {
    if (claims.h === undefined) return;
    const state = { capabilities: client.capabilities };
    await this.#options.shared.save(ownerOf(claims), { ended: false, state });
  }

  async end({ claims, client }: Session): Promise<void> {
    await this.#options.shared.save(ownerOf(claims), { ended: true, state: {} });
    this.#options.onEnd(client);
  }

  /** Ends expired sessions in memory: their ids are refused everywhere by now. */
  expire(): void {
    const { sessions, onEnd, now } = this.#options;
    for (const { claims, client } of [...sessions().all()]) {
      if (expiryOf(claims) > now()) continue;
      onEnd(client);
      sessions().forget(claims.s);
    }
  }

  /** A session ended, here or elsewhere. It is removed from memory even if the write fails. */
  ended(session: string): void {
    const { sessions, onEnd } = this.#options;
    const known = sessions().known(session);
    if (known) onEnd(known.client);
    sessions().endedElsewhere(session);
  }
}

function ownerOf(claims: SessionClaims): SessionOwner {
  return { session: claims.s, caller: claims.u, expiresAtMs: expiryOf(claims) };
}
