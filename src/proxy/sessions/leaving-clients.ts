import { Cancellation } from '../../contract/cancellation.ts';
import { CLIENT_HEADER, type EdgeHead } from '../http/edge-exchange.ts';
import { PROXY_LIMITS } from '../limits.ts';

/** A request whose client may say that it does not wait for a person any longer. */
export interface LeavingRequest {
  readonly left: Cancellation;
  end(): void;
}

/** Running requests of 2026 clients, by client: such a client has no session in which it could say that it leaves. */
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
