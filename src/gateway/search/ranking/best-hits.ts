import type { SearchableTool } from '../searchable-tool.ts';

export interface Hit {
  readonly tool: SearchableTool;
  readonly score: number;
}

/** Keeps the best hits in a heap with the worst one on top. Breaks ties by public name. */
export class BestHits {
  readonly #limit: number;
  readonly #heap: Hit[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(tool: SearchableTool, score: number): void {
    const heap = this.#heap;
    if (heap.length < this.#limit) {
      heap.push({ tool, score });
      this.#rise(heap.length - 1);
      return;
    }
    const worst = heap[0];
    if (worst === undefined || score < worst.score) return;
    const hit = { tool, score };
    if (!isBetter(hit, worst)) return;
    heap[0] = hit;
    this.#sink(0);
  }

  /** The hits, best first. */
  sorted(): Hit[] {
    return [...this.#heap].sort((a, b) => (isBetter(a, b) ? -1 : 1));
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBetter(this.#heap[at] as Hit, this.#heap[parent] as Hit)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      let worst = at;
      for (let child = 2 * at + 1; child <= 2 * at + 2; child += 1) {
        const hit = this.#heap[child];
        if (hit && isBetter(this.#heap[worst] as Hit, hit)) worst = child;
      }
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }

  #swap(a: number, b: number): void {
    const hit = this.#heap[a] as Hit;
    this.#heap[a] = this.#heap[b] as Hit;
    this.#heap[b] = hit;
  }
}

function isBetter(a: Hit, b: Hit): boolean {
  return a.score > b.score || (a.score === b.score && a.tool.name < b.tool.name);
}
