/**
 * A map whose entries come and go all the time, of which there are few at once: what runs now. A `Map` makes a new table every
 * few changes, and each old one points to its successor and to what it held; once one of them is in the old generation, every
 * later entry follows it there, dead or not. This one is two arrays, in the order in which entries came.
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

  /** The values now, oldest first; what changes meanwhile does not show. */
  values(): V[] {
    return this.#values.slice();
  }
}

/** Neither `splice`, which makes an array of what it removed, nor `copyWithin`, which looks each element up by its name. */
function removeAt(list: unknown[], at: number): void {
  for (let index = at + 1; index < list.length; index += 1) list[index - 1] = list[index];
  list.pop();
}
