import { Cancellation } from '../../contract/cancellation.ts';
import type { EdgeHead } from '../http/edge-exchange.ts';
import { PROXY_LIMITS } from '../limits.ts';

/** The notification by which `bindery stdio` tells the gateway that its client has closed its input. */
export const INPUT_ENDED = 'notifications/bindery/input_ended';
/** The header by which requests of a client without a session are known as one client's. `bindery stdio` draws its value. */
export const CLIENT_HEADER = 'bindery-client';

/** A request whose client may say that it waits for no person any more. */
export interface LeavingRequest {
  readonly left: Cancellation;
  end(): void;
}

/** Requests of 2026 clients that run, by who sent them: such a client has no session in which it could say that it goes. */
export class LeavingClients {
  readonly #running = new Map<string, Set<Cancellation>>();

  /** A request of a client that has named itself; undefined for every other. */
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

  /** The client's input has ended: its requests are answered, but none waits for a person. */
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
