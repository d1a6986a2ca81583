/** A bounded map whose values expire; evicts the oldest first. */
export class ExpiringMap<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly endsAt: number }>();
  readonly #lifeMs: number;
  readonly #entriesMax: number;
  readonly #now: () => number;

  constructor(lifeMs: number, entriesMax: number, now: () => number) {
    this.#lifeMs = lifeMs;
    this.#entriesMax = entriesMax;
    this.#now = now;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.endsAt > this.#now() ? entry.value : undefined;
  }

  set(key: string, value: T): void {
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#entriesMax && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, endsAt: this.#now() + this.#lifeMs });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
