import type { JsonObject } from '../../contract/json.ts';
import type { SessionClaims, SessionOwner } from '../../gateway/session/session-id.ts';
import type { Client } from '../message/client.ts';
import { expiryOf, type Session, type SessionTable } from '../sessions/session-table.ts';

/** What all nodes know of sessions. */
export interface SharedSessionStore {
  find(owner: SessionOwner): Promise<{ readonly ended: boolean; readonly state: JsonObject } | undefined>;
  save(owner: SessionOwner, row: { ended: boolean; state: JsonObject }): Promise<void>;
}

export interface MetSessionsOptions {
  readonly shared: SharedSessionStore;
  /** It also keeps what this node learned, so that a cut does not make it forget. */
  readonly sessions: () => SessionTable;
  /** A session in memory ends for good: what was kept of it for other nodes is useless now. */
  onEnd(client: Client): void;
  now(): number;
}

/** Sessions that are good at every node: a node reads the row when it first sees the session, and ends are broadcast. */
export class MetSessions {
  readonly #options: MetSessionsOptions;

  constructor(options: MetSessionsOptions) {
    this.#options = options;
  }

  /** Learns what other nodes know of a session that is new to this one. */
  async meet(id: unknown): Promise<void> {
    const claims = typeof id === 'string' ? this.#options.sessions().unmet(id) : undefined;
    if (!claims) return;
    const row = await this.#options.shared.find(ownerOf(claims)).catch((thrown: unknown) => {
      // The signed id identifies the caller and its capabilities, so plain calls work while the database is cut off.
      if (claims.c === undefined) throw thrown;
      return undefined;
    });
    // Where this fails the session is not met: one that ended elsewhere would go on here.
    if (row) this.#options.sessions().save(claims, row);
  }

  /** A session began here; other nodes need of it what its id cannot carry. */
  async begun({ claims, client }: Session): Promise<void> {
    if (claims.h === undefined) return;
    const state = { capabilities: client.capabilities };
    await this.#options.shared.save(ownerOf(claims), { ended: false, state });
  }

  async end({ claims, client }: Session): Promise<void> {
    await this.#options.shared.save(ownerOf(claims), { ended: true, state: {} });
    this.#options.onEnd(client);
  }

  /** Ends sessions in memory whose time is up: their ids are refused everywhere by now. */
  expire(): void {
    const { sessions, onEnd, now } = this.#options;
    for (const { claims, client } of [...sessions().all()]) {
      if (expiryOf(claims) > now()) continue;
      onEnd(client);
      sessions().forget(claims.s);
    }
  }

  /** A session was ended, here or elsewhere. It ends in memory even where that cannot be written down. */
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
