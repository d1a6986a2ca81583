/**
 * A map with few entries that change all the time, such as running calls. A `Map` allocates a new table every few changes, and
 * each old table points to its successor and to its entries; once one table is in the old generation, every later entry is
 * promoted too, dead or not. This one is two arrays, in insertion order.
 */
export class ShortLivedMap<K, V> {
  readonly #keys: K[] = [];
  readonly #values: V[] = [];

  get size(): number {
    return this.#keys.length;
  }

  has(key: K): boolean {
    return this.#keys.includes(key);
  }

  get(key: K): V | undefined {
    const at = this.#keys.indexOf(key);
    return at < 0 ? undefined : this.#values[at];
  }

  set(key: K, value: V): void {
    const at = this.#keys.indexOf(key);
    if (at >= 0) {
      this.#values[at] = value;
      return;
    }
    this.#keys.push(key);
    this.#values.push(value);
  }

  delete(key: K): boolean {
    const at = this.#keys.indexOf(key);
    if (at < 0) return false;
    removeAt(this.#keys, at);
    removeAt(this.#values, at);
    return true;
  }

  /** A copy of the current values, oldest first. */
  values(): V[] {
    return this.#values.slice();
  }
}

/** A loop, because `splice` allocates an array of the removed elements, and `copyWithin` looks each element up by its name. */
function removeAt(list: unknown[], at: number): void {
  for (let index = at + 1; index < list.length; index += 1) list[index - 1] = list[index];
  list.pop();
}
