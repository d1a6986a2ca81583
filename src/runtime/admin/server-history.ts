import type { ServerStatus } from '../../host/connection/supervision/server-set.ts';
import { UP_LIMITS } from '../limits.ts';

/** A state that a server entered. */
export interface ServerMoment {
  readonly time: string;
  readonly state: ServerStatus['state'];
  readonly reason: string | null;
}

interface StatusSource {
  status(): readonly ServerStatus[];
  on(event: 'status', listener: (status: ServerStatus) => void): unknown;
}

/** The last states of each server since this process started. */
export class ServerHistory {
  readonly #moments = new Map<string, ServerMoment[]>();
  readonly #now: () => number;

  constructor(host: StatusSource, now: () => number) {
    this.#now = now;
    for (const status of host.status()) this.#note(status);
    host.on('status', (status) => this.#note(status));
  }

  /** Oldest first. */
  of(id: string): readonly ServerMoment[] {
    return this.#moments.get(id) ?? [];
  }

  #note({ id, state, reason }: ServerStatus): void {
    if (state === 'disabled') {
      this.#moments.delete(id);
      return;
    }
    const known = this.#moments.get(id) ?? [];
    if (known.at(-1)?.state === state) return;
    const moment = { time: new Date(this.#now()).toISOString(), state, reason: reason ?? null };
    this.#moments.set(id, [...known, moment].slice(-UP_LIMITS.serverMomentsMax));
  }
}
