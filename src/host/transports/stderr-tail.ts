/** Keeps the last bytes of a stream, cut at a line end if possible. */
export class StderrTail {
  readonly #bytesMax: number;
  #kept: Buffer[] = [];
  #bytes = 0;
  #dropped = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    if (chunk.length > this.#bytesMax) this.#dropped = true;
    // A copy: the chunk may be a small view of a large buffer.
    this.#kept.push(Buffer.from(chunk.subarray(Math.max(0, chunk.length - this.#bytesMax))));
    this.#bytes += (this.#kept.at(-1) as Buffer).length;
    while (this.#bytes - (this.#kept[0] as Buffer).length >= this.#bytesMax) {
      this.#bytes -= (this.#kept.shift() as Buffer).length;
      this.#dropped = true;
    }
  }

  text(): string {
    const all = Buffer.concat(this.#kept);
    if (all.length <= this.#bytesMax && !this.#dropped) return all.toString('utf8');
    const tail = all.subarray(Math.max(0, all.length - this.#bytesMax));
    const line = tail.indexOf(0x0a);
    return tail.subarray(line >= 0 && line < tail.length - 1 ? line + 1 : 0).toString('utf8');
  }
}
