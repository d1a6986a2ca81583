import { incomingBodies } from '../../contract/incoming-bodies.ts';
import { RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { RpcFailure } from '../message/answers.ts';

interface Waiting {
  readonly caller: string;
  readonly bytes: number;
  /** Does nothing once its wait is over. */
  readonly start: () => void;
}

export interface LargeRequestLimits {
  readonly largeRequestsBytesMax: number;
  readonly largeRequestsBytesPerCallerMax: number;
  readonly largeRequestsWaitingMax: number;
  readonly largeRequestWaitMs: number;
}

/**
 * A byte budget for large requests, from their body to their answer: a call needs several times the memory of its body. A request that
 * does not fit waits, and its body is not read (backpressure). Requests start in their order, except that a caller that has used its
 * share does not hold up the others. Small requests never wait.
 */
export class LargeRequests {
  readonly #limits: LargeRequestLimits;
  /** Gives up bodies that do not arrive; called while others wait for their memory. */
  readonly #giveUpStalled: () => void;
  /** Oldest first. */
  readonly #waiting = new Set<Waiting>();
  readonly #byCaller = new Map<string, number>();
  #bytes = 0;
  #isWatched = false;

  constructor(limits: LargeRequestLimits = PROXY_LIMITS, giveUpStalled = () => incomingBodies.giveUpStalled()) {
    this.#limits = limits;
    this.#giveUpStalled = giveUpStalled;
  }

  get taken(): { readonly bytes: number; readonly waiting: number } {
    return { bytes: this.#bytes, waiting: this.#waiting.size };
  }

  /** Resolves when the request may be read; call the returned function when it is answered. Rejects with `BUSY` after the wait. */
  async enter(caller: string, bytes: number): Promise<() => void> {
    await new Promise<void>((start, reject) => {
      const waiting = { caller, bytes, start };
      this.#waiting.add(waiting);
      this.#startWaiting();
      if (this.#waiting.has(waiting)) this.#wait(waiting, reject);
    });
    let isIn = true;
    return () => {
      if (isIn) this.#leave(caller, bytes);
      isIn = false;
    };
  }

  #wait(waiting: Waiting, reject: (error: RpcFailure) => void): void {
    const giveUp = () => {
      // Those behind it may fit.
      if (this.#waiting.delete(waiting)) this.#startWaiting();
      reject(busy());
    };
    const { largeRequestsWaitingMax, largeRequestWaitMs } = this.#limits;
    const beside = [...this.#waiting].filter(({ caller }) => caller === waiting.caller);
    if (beside.length > largeRequestsWaitingMax) {
      giveUp();
      return;
    }
    setTimeout(giveUp, largeRequestWaitMs).unref();
    this.#watch();
  }

  #leave(caller: string, bytes: number): void {
    this.#bytes -= bytes;
    const left = (this.#byCaller.get(caller) ?? 0) - bytes;
    if (left > 0) this.#byCaller.set(caller, left);
    else this.#byCaller.delete(caller);
    this.#startWaiting();
  }

  #startWaiting(): void {
    const passed = new Set<string>();
    for (const waiting of this.#waiting) {
      const { caller, bytes, start } = waiting;
      if (this.#bytes + bytes > this.#limits.largeRequestsBytesMax) return;
      if (passed.has(caller) || !this.#fits(caller, bytes)) passed.add(caller);
      else {
        this.#waiting.delete(waiting);
        this.#take(caller, bytes);
        start();
      }
    }
  }

  #fits(caller: string, bytes: number): boolean {
    return (this.#byCaller.get(caller) ?? 0) + bytes <= this.#limits.largeRequestsBytesPerCallerMax;
  }

  #take(caller: string, bytes: number): void {
    this.#bytes += bytes;
    this.#byCaller.set(caller, (this.#byCaller.get(caller) ?? 0) + bytes);
  }

  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const look = () => {
      this.#isWatched = false;
      if (this.#waiting.size === 0) return;
      this.#giveUpStalled();
      this.#watch();
    };
    // Bytes that arrived while the event loop was blocked are read first.
    setTimeout(() => setImmediate(look), PROXY_LIMITS.largeRequestsLookEveryMs).unref();
  }
}

function busy(): RpcFailure {
  return new RpcFailure(RPC.internalError, 'BUSY: Too many large requests are waiting', {
    httpStatus: 503,
    data: { code: 'BUSY', retry_after_ms: 1_000 },
  });
}

/** The large requests of this process. */
export const largeRequests = new LargeRequests();
