import { randomBytes } from 'node:crypto';
import { Cancellation } from '../../contract/cancellation.ts';
import { BinderyError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { Clock } from '../../contract/ports.ts';
import {
  capabilityClaims,
  readSession,
  SESSION_LIFETIME_S,
  type SessionClaims,
  signSession,
} from '../../gateway/session/session-id.ts';
import { CLIENT_HEADER, type EdgeHead } from '../http/edge-exchange.ts';
import type { EventStream } from '../http/event-stream.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { Client, ClientResponse } from '../message/client.ts';
import { Questions } from './questions.ts';
import { RunningRequests } from './running-requests.ts';

export interface SessionRow {
  readonly ended: boolean;
  readonly state: JsonObject;
  /** The owner of the session; absent if only its end is known. */
  readonly caller?: string;
}

/** Persists session data that the id does not carry; the registry implements it. */
export interface SessionStore {
  session(session: string): Omit<SessionRow, 'caller'> | undefined;
  saveSession(session: string, expiresAt: number, row: SessionRow): void;
  /** Rows of a caller that expire before this time were evicted. Such a session has ended unless it has a row or is in memory. */
  evictedThrough(caller: string): number;
}

/** A 2025 session in memory. */
export interface Session {
  readonly claims: SessionClaims;
  readonly client: Client;
  readonly questions: Questions;
  readonly running: RunningRequests;
  /** Aborted when the client has closed its input. */
  readonly left: Cancellation;
  /** Streams that the client opened with GET. */
  readonly streams: Set<EventStream>;
  lastUsedAt: number;
  /** The id, after its signature was verified. */
  checkedId: string | undefined;
}

export interface SessionTableOptions {
  /** The current key, then the previous one. */
  readonly keys: readonly Uint8Array[];
  readonly store: SessionStore;
  readonly clock: Clock;
  /** The name of this process among those that share the sessions. */
  readonly node: string;
  /** A session has ended for good; other processes must drop it. */
  onEnded?(session: string): void;
  /** The session was removed from memory: close what was opened for it. */
  onGone(session: Session): void;
}

/** Sessions of 2025 clients over HTTP. The id carries the state; memory is only a cache. */
export class SessionTable {
  readonly #options: SessionTableOptions;
  readonly #sessions = new Map<string, Session>();
  /** The same sessions, by caller. */
  readonly #ofCaller = new Map<string, Set<Session>>();
  /** Verified ids of sessions in memory. */
  readonly #checked = new Map<string, SessionClaims>();
  /** Running requests of clients without a session. */
  readonly leaving = new LeavingClients();

  constructor(options: SessionTableOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  begin(client: Omit<Client, 'session' | 'key' | 'era'>): { readonly id: string; readonly session: Session } {
    const issued = Math.floor(this.#options.clock.now() / 1_000);
    const claims: SessionClaims = {
      s: randomBytes(16).toString('base64url'),
      i: issued,
      v: client.protocolVersion,
      p: client.profile,
      u: client.caller,
      ...capabilityClaims(client.capabilities),
    };
    const session = this.#remember(claims, client.capabilities, client.info);
    try {
      if (claims.h) this.save(claims, { ended: false, state: { capabilities: client.capabilities } });
    } catch (thrown) {
      this.#drop(session);
      throw thrown;
    }
    return { id: signSession(claims, this.#options.keys[0] as Uint8Array), session };
  }

  /** The session of an id; undefined if it is forged, expired, ended, or of another caller or profile. */
  find(id: string, profile: string, caller: string): Session | undefined {
    const claims = this.#claims(id);
    if (!claims || claims.p !== profile || claims.u !== caller) return undefined;
    const known = this.#sessions.get(claims.s);
    if (known) {
      known.lastUsedAt = this.#options.clock.now();
      return known;
    }
    const { store } = this.#options;
    const row = store.session(claims.s);
    if (row?.ended) return undefined;
    // The row was evicted, so the session may have ended.
    if (!row && expiryOf(claims) <= store.evictedThrough(claims.u)) return undefined;
    const capabilities = claims.c ?? (row?.state.capabilities as JsonObject | undefined);
    return capabilities ? this.#remember(claims, capabilities, undefined) : undefined;
  }

  /** The claims of an id. The signature is verified once while the session is in memory. */
  #claims(id: string): SessionClaims | undefined {
    const now = this.#options.clock.now();
    const checked = this.#checked.get(id);
    if (checked && this.#sessions.has(checked.s) && now / 1_000 - checked.i < SESSION_LIFETIME_S) return checked;
    const claims = readSession(id, this.#options.keys, now);
    const session = claims && this.#sessions.get(claims.s);
    if (session) {
      if (session.checkedId !== undefined) this.#checked.delete(session.checkedId);
      session.checkedId = id;
      this.#checked.set(id, claims);
    }
    return claims;
  }

  /** Ends a session for good: its id is refused from now on, also after a restart. */
  end(session: Session): void {
    this.save(session.claims, { ended: true, state: {} });
    this.#drop(session);
    this.#options.onEnded?.(session.claims.s);
  }

  /** Another process ended the session. It is removed from memory even if the write fails. */
  endedElsewhere(session: string): void {
    const known = this.#sessions.get(session);
    if (known) this.#drop(known);
    const caller = known ? { caller: known.claims.u } : {};
    const { store, clock } = this.#options;
    store.saveSession(session, clock.now() + SESSION_LIFETIME_S * 1_000, { ended: true, state: {}, ...caller });
  }

  /** Persists what the id does not carry. */
  save(claims: SessionClaims, row: { ended: boolean; state: JsonObject }): void {
    this.#options.store.saveSession(claims.s, expiryOf(claims), { ...row, caller: claims.u });
  }

  /** Another process changed the session: evicts it from memory, and the next use reads it again. */
  forget(session: string): void {
    const known = this.#sessions.get(session);
    if (known) this.#drop(known);
  }

  /** Cancels a request; the client's notification reached another process. */
  cancel(session: string, requestId: unknown): void {
    this.#sessions.get(session)?.running.cancel(requestId);
  }

  /** Delivers an answer to a question of this process; the answer reached another process. */
  answer(session: string, response: ClientResponse): void {
    this.#sessions.get(session)?.questions.answer(response);
  }

  /** The claims of a valid id whose session is not in memory; otherwise undefined. */
  unloadedClaims(id: string): SessionClaims | undefined {
    const claims = this.#claims(id);
    return claims && !this.#sessions.has(claims.s) ? claims : undefined;
  }

  /** The session with this key, if it is in memory. */
  known(session: string): Session | undefined {
    return this.#sessions.get(session);
  }

  all(): Iterable<Session> {
    return this.#sessions.values();
  }

  /** Evicts idle sessions without a stream or request from memory; their ids stay valid. */
  reclaim(): void {
    const idleSince = this.#options.clock.now() - PROXY_LIMITS.sessionIdleMs;
    for (const session of this.#sessions.values()) {
      if (!isHeld(session) && session.lastUsedAt <= idleSince) this.#drop(session);
    }
  }

  /** Evicts a session of this caller if it has too many, and one of the largest caller if there are too many in total. */
  #makeRoom(caller: string): void {
    const { sessionsPerCallerMax, sessionsMax } = PROXY_LIMITS;
    if ((this.#ofCaller.get(caller)?.size ?? 0) >= sessionsPerCallerMax) this.#evictOne(caller);
    if (this.#sessions.size >= sessionsMax) this.#evictOne(this.#largestCaller());
  }

  #evictOne(caller: string): void {
    let oldest: Session | undefined;
    for (const session of this.#ofCaller.get(caller) ?? []) {
      if (!isHeld(session) && session.lastUsedAt < (oldest?.lastUsedAt ?? Number.POSITIVE_INFINITY)) oldest = session;
    }
    if (!oldest) throw new BinderyError('TOO_MANY_SESSIONS');
    this.#drop(oldest);
  }

  #largestCaller(): string {
    let largest = '';
    let size = 0;
    for (const [caller, sessions] of this.#ofCaller) {
      if (sessions.size > size) [largest, size] = [caller, sessions.size];
    }
    return largest;
  }

  #remember(claims: SessionClaims, capabilities: JsonObject, info: Client['info']): Session {
    this.#makeRoom(claims.u);
    const session: Session = {
      claims,
      client: {
        era: '2025',
        protocolVersion: claims.v,
        profile: claims.p,
        caller: claims.u,
        session: claims.s,
        info,
        capabilities,
        key: claims.s,
      },
      questions: new Questions(this.#options.node),
      running: new RunningRequests(),
      left: new Cancellation(),
      streams: new Set(),
      lastUsedAt: this.#options.clock.now(),
      checkedId: undefined,
    };
    this.#sessions.set(claims.s, session);
    const own = this.#ofCaller.get(claims.u) ?? new Set();
    this.#ofCaller.set(claims.u, own.add(session));
    return session;
  }

  #drop(session: Session): void {
    this.#sessions.delete(session.claims.s);
    const { u: caller } = session.claims;
    const own = this.#ofCaller.get(caller);
    own?.delete(session);
    if (own?.size === 0) this.#ofCaller.delete(caller);
    if (session.checkedId !== undefined) this.#checked.delete(session.checkedId);
    session.running.cancelAll();
    for (const stream of session.streams) stream.end();
    this.#options.onGone(session);
  }
}

/** When the id of a session expires, in milliseconds since 1970. */
export function expiryOf({ i }: SessionClaims): number {
  return (i + SESSION_LIFETIME_S) * 1_000;
}

/** Whether a stream or a request uses the session: then it is not evicted. */
function isHeld({ streams, running }: Session): boolean {
  return streams.size > 0 || running.size > 0;
}

/** A request whose client may announce that it no longer waits for a person. */
export interface LeavingRequest {
  readonly left: Cancellation;
  end(): void;
}

/** Running requests of 2026 clients, by client: they have no session in which to announce that they leave. */
export class LeavingClients {
  readonly #running = new Map<string, Set<Cancellation>>();

  /** Registers a request of a client that names itself in `CLIENT_HEADER`; otherwise undefined. */
  begin(head: EdgeHead, caller: string): LeavingRequest | undefined {
    const key = keyOf(head, caller);
    if (key === undefined) return undefined;
    const left = new Cancellation();
    const all = this.#running.get(key) ?? new Set();
    this.#running.set(key, all.add(left));
    return {
      left,
      end: () => {
        all.delete(left);
        if (all.size === 0) this.#running.delete(key);
      },
    };
  }

  /** The client closed its input: its requests are still answered, but none waits for a person. */
  leave(head: EdgeHead, caller: string): void {
    for (const left of this.#running.get(keyOf(head, caller) ?? '') ?? [])
      left.abort(new Error('the input of the client has ended'));
  }
}

function keyOf({ headers }: EdgeHead, caller: string): string | undefined {
  const named = headers[CLIENT_HEADER];
  if (typeof named !== 'string' || named.length > PROXY_LIMITS.clientNameCharsMax) return undefined;
  return `${named}\n${caller}`;
}
