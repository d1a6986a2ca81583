const CAPACITY_MIN = 1 << 10;

/** Integers in a growing typed array; unset elements are 0. */
export class NumberList {
  #numbers = new Uint32Array(CAPACITY_MIN);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  at(index: number): number {
    return index < this.#length ? (this.#numbers[index] as number) : 0;
  }

  push(number: number): void {
    this.set(this.#length, number);
  }

  set(index: number, number: number): void {
    if (index >= this.#numbers.length) this.#grow(index + 1);
    this.#numbers[index] = number;
    if (index >= this.#length) this.#length = index + 1;
  }

  increment(index: number): void {
    this.#numbers[index] = (this.#numbers[index] as number) + 1;
  }

  /** All numbers in a new buffer; empties the list. */
  take(): Uint32Array<ArrayBuffer> {
    const taken = this.#numbers.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  clear(): void {
    this.#length = 0;
  }

  #grow(length: number): void {
    const larger = new Uint32Array(Math.max(length, this.#numbers.length * 2));
    larger.set(this.#numbers);
    this.#numbers = larger;
  }
}
