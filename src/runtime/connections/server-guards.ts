import type { Clock } from '../../contract/ports.ts';
import { type LimiterSettings, ServerLimiter } from '../../proxy/call/server-limiter.ts';

/** One guard per server, made when it is first asked for. */
export class ServerGuards {
  readonly #guards = new Map<string, ServerLimiter>();
  readonly #clock: Clock;
  readonly #settingsOf: (server: string) => LimiterSettings;

  constructor(clock: Clock, settingsOf: (server: string) => LimiterSettings) {
    this.#clock = clock;
    this.#settingsOf = settingsOf;
  }

  of(server: string): ServerLimiter {
    const known = this.#guards.get(server);
    if (known) return known;
    const guard = new ServerLimiter(this.#clock, this.#settingsOf(server));
    this.#guards.set(server, guard);
    return guard;
  }

  /** The settings may be others now. */
  configure(): void {
    for (const [server, guard] of this.#guards) guard.configure(this.#settingsOf(server));
  }

  /** Calls that were let in and have not ended, or wait to be. */
  running(): number {
    return [...this.#guards.values()].reduce((sum, guard) => sum + guard.running + guard.queued, 0);
  }

  refuseQueued(): void {
    for (const guard of this.#guards.values()) guard.refuseQueued();
  }
}
