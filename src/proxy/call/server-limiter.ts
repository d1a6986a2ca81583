import type { CancelSignal } from '../../contract/cancellation.ts';
import { BinderyError } from '../../contract/errors.ts';
import type { Clock } from '../../contract/ports.ts';
import { hasOwnKey, partyOf } from '../../gateway/approval/pending-limits.ts';
import type { BreakerEvent } from '../../gateway/throttle/breaker.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { Client } from '../message/client.ts';
import { type BreakersSettings, ServerBreakers } from './server-breakers.ts';

export interface LimiterSettings extends BreakersSettings {
  readonly concurrencyMax: number;
  readonly queueMax: number;
}

/** A tool to acquire a slot for, its client, and the concurrency that policy allows. */
export interface LimitedTool {
  readonly tool: string;
  readonly concurrencyMax: number | undefined;
  /** Waiting clients take turns. */
  readonly client?: Pick<Client, 'caller' | 'session' | 'info'>;
}

interface WaitingCall {
  readonly of: LimitedTool;
  readonly party: string;
  readonly wake: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Limits the calls to one server: circuit breakers, and a semaphore for its concurrency and that of its tools. The queue is bounded
 * and fair: clients take turns, each client's calls are first in, first out, and no caller with a key takes all slots or places.
 */
export class ServerLimiter {
  readonly #breakers: ServerBreakers;
  #settings: LimiterSettings;
  #running = 0;
  /** Running calls of the tools that policy limits. */
  readonly #runningOf = new Map<string, number>();
  /** Running calls of the callers with a key. */
  readonly #runningBy = new Map<string, number>();
  #lastFailure: string | undefined;
  readonly #queue: WaitingCall[] = [];
  /** The turn in which each waiting client was last admitted; empty while the queue is empty. */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  constructor(clock: Clock, settings: LimiterSettings) {
    this.#breakers = new ServerBreakers(clock, settings);
    this.#settings = settings;
  }

  /** Why the last call that counted against the server failed; undefined after the next answer. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** Refuses the waiting calls, because the gateway is shutting down. */
  refuseQueued(): void {
    for (const { refuse } of this.#queue.splice(0)) refuse(new BinderyError('INTERRUPTED'));
  }

  configure(settings: LimiterSettings): void {
    this.#settings = settings;
    this.#breakers.configure(settings);
    this.#wakeNext();
  }

  breaker(): ReturnType<ServerBreakers['report']> {
    return this.#breakers.report();
  }

  /** Throws `BREAKER_OPEN` if a call would be refused. Acquires nothing. */
  checkBreaker(of: LimitedTool): void {
    this.#breakers.check(of.tool, keyedCaller(of));
  }

  /** Acquires a slot. Returns a promise if no slot is free and the call waits in the queue; throws `BUSY` if the queue is full. */
  acquire(of: LimitedTool, signal: CancelSignal): Promise<void> | undefined {
    if (!this.#hasRoom(of)) return this.#wait(of, signal);
    this.#begin(of);
    return undefined;
  }

  /** Acquires a slot without waiting, for a call that the server is already running: in the queue its answers would deadlock. */
  acquireNow(of: LimitedTool): void {
    this.#begin(of);
  }

  /** Releases the slot and reports the outcome to the circuit breakers; `lessee` is the client whose own process ran the call. */
  release(of: LimitedTool, event: BreakerEvent, failure?: string, lessee?: string): void {
    if (event !== 'abandoned') this.#lastFailure = event === 'failed' ? failure : undefined;
    const caller = keyedCaller(of);
    this.#breakers.record(of.tool, event, { caller, lessee });
    this.#running -= 1;
    if (of.concurrencyMax !== undefined) this.#runningOf.set(of.tool, this.#runningNow(of) - 1);
    if (caller !== undefined) this.#countRunning(caller, -1);
    if (this.#queue.length > 0) this.#wakeNext();
  }

  /** Closes the breakers after a person declared the server healthy. */
  reset(): void {
    this.#breakers.reset();
  }

  #countRunning(caller: string, by: 1 | -1): void {
    const running = (this.#runningBy.get(caller) ?? 0) + by;
    if (running === 0) this.#runningBy.delete(caller);
    else this.#runningBy.set(caller, running);
  }

  #runningNow({ tool }: LimitedTool): number {
    return this.#runningOf.get(tool) ?? 0;
  }

  #hasRoom(of: LimitedTool): boolean {
    const { concurrencyMax } = this.#settings;
    if (this.#running >= concurrencyMax) return false;
    const caller = keyedCaller(of);
    if (caller !== undefined && (this.#runningBy.get(caller) ?? 0) >= shareOf(concurrencyMax)) return false;
    return of.concurrencyMax === undefined || this.#runningNow(of) < of.concurrencyMax;
  }

  #begin(of: LimitedTool): void {
    const caller = keyedCaller(of);
    this.#breakers.begin(of.tool, caller);
    this.#running += 1;
    if (of.concurrencyMax !== undefined) this.#runningOf.set(of.tool, this.#runningNow(of) + 1);
    if (caller !== undefined) this.#countRunning(caller, 1);
  }

  #wait(of: LimitedTool, signal: CancelSignal): Promise<void> {
    if (!this.#hasPlace(of)) throw new BinderyError('BUSY', { members: { retry_after_ms: 1_000 } });
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown) => {
        signal.removeEventListener('abort', cancel);
        reject(error);
      };
      const wake = () => {
        signal.removeEventListener('abort', cancel);
        try {
          this.#begin(of);
          resolve();
        } catch (error) {
          reject(error);
        }
      };
      const waiting = { of, party: partyOfCall(of), wake, refuse };
      const cancel = () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        if (this.#queue.length === 0) this.#turns.clear();
        reject(signal.reason);
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.#queue.push(waiting);
    });
  }

  #hasPlace(of: LimitedTool): boolean {
    const { queueMax } = this.#settings;
    if (this.#queue.length >= queueMax) return false;
    const caller = keyedCaller(of);
    if (caller === undefined || this.#queue.length < shareOf(queueMax)) return true;
    return this.#queue.filter((waiting) => keyedCaller(waiting.of) === caller).length < shareOf(queueMax);
  }

  /** Admits waiting calls that fit, clients in turn. A tool at its limit does not block other tools. */
  #wakeNext(): void {
    for (let next = this.#nextInLine(); next; next = this.#nextInLine()) {
      this.#queue.splice(this.#queue.indexOf(next), 1);
      this.#turn += 1;
      this.#turns.set(next.party, this.#turn);
      next.wake();
    }
    if (this.#queue.length === 0) this.#turns.clear();
  }

  /** Among the calls that fit, the oldest call of the client whose last turn is longest ago. */
  #nextInLine(): WaitingCall | undefined {
    let first: WaitingCall | undefined;
    let firstTurn = Number.POSITIVE_INFINITY;
    for (const waiting of this.#queue) {
      const turn = this.#turns.get(waiting.party) ?? 0;
      if (turn >= firstTurn || !this.#hasRoom(waiting.of)) continue;
      [first, firstTurn] = [waiting, turn];
    }
    return first;
  }
}

function partyOfCall({ client }: LimitedTool): string {
  return client ? partyOf({ caller: client.caller, session: client.session ?? null, client: client.info ?? null }) : '';
}

function keyedCaller({ client }: LimitedTool): string | undefined {
  return client && hasOwnKey(client.caller) ? client.caller : undefined;
}

/** Rounded up: with few slots all of them are for anybody. */
function shareOf(max: number): number {
  return Math.ceil(max * PROXY_LIMITS.callerShare);
}
