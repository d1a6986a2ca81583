import { PROXY_LIMITS } from '../limits.ts';

interface Held {
  readonly caller: string;
  readonly resources: Set<string>;
}

/** Counts the resource subscriptions of each session or stream, and of each caller: every one costs memory and a request to a server. */
export class SubscriptionPlaces {
  /** By the key of a session, or by the object that stands for a stream. */
  readonly #held = new Map<unknown, Held>();
  readonly #byCaller = new Map<string, number>();

  /** Takes a place for a resource, once per holder. Returns why there is none. */
  take(holder: unknown, caller: string, resource: string): string | undefined {
    const { subscribedUriCharsMax, subscriptionsMax, subscriptionsPerCallerMax } = PROXY_LIMITS;
    if (resource.length > subscribedUriCharsMax) return `the URI has more than ${subscribedUriCharsMax} characters`;
    const held = this.#held.get(holder) ?? { caller, resources: new Set<string>() };
    if (held.resources.has(resource)) return undefined;
    if (held.resources.size >= subscriptionsMax) return `there are ${subscriptionsMax} subscriptions already`;
    const count = this.#byCaller.get(caller) ?? 0;
    if (count >= subscriptionsPerCallerMax) return `the caller has ${subscriptionsPerCallerMax} subscriptions already`;
    this.#held.set(holder, held);
    held.resources.add(resource);
    this.#byCaller.set(caller, count + 1);
    return undefined;
  }

  /** Gives the place of one resource back. */
  giveBack(holder: unknown, resource: string): void {
    const held = this.#held.get(holder);
    if (!held?.resources.delete(resource)) return;
    this.#lower(held.caller, 1);
    if (held.resources.size === 0) this.#held.delete(holder);
  }

  /** Gives back all places of a session or stream that has ended. */
  release(holder: unknown): void {
    const held = this.#held.get(holder);
    if (!held) return;
    this.#held.delete(holder);
    this.#lower(held.caller, held.resources.size);
  }

  #lower(caller: string, by: number): void {
    const left = (this.#byCaller.get(caller) ?? 0) - by;
    if (left > 0) this.#byCaller.set(caller, left);
    else this.#byCaller.delete(caller);
  }
}
