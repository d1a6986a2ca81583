/**
 * Finds which of many short texts occur in a text, in one pass: expensive patterns run only if one of their hints occurs. Hints are lower
 * case and at least two units long.
 */
export class HintIndex {
  /** A small filter by the first two units of a hint; it rejects nearly every position of a text. */
  readonly #begins = new Uint8Array(MIXED);
  readonly #byBeginning = new Map<number, { readonly hint: string; readonly owner: number }[]>();

  /** One list of hints per owner; `find` returns indices of owners. */
  constructor(owners: readonly (readonly string[])[]) {
    for (const [owner, hints] of owners.entries()) {
      for (const hint of hints) {
        const key = pairAt(hint, 0);
        this.#begins[key % MIXED] = 1;
        const list = this.#byBeginning.get(key) ?? [];
        list.push({ hint, owner });
        this.#byBeginning.set(key, list);
      }
    }
  }

  /** Indices of the owners whose hints occur in a lower-case text, ascending. */
  find(small: string): readonly number[] {
    let found: Set<number> | undefined;
    for (let at = 0; at + 1 < small.length; at++) {
      const key = pairAt(small, at);
      if (this.#begins[key % MIXED] === 0) continue;
      for (const { hint, owner } of this.#byBeginning.get(key) ?? NONE) {
        if (!small.startsWith(hint, at)) continue;
        found ??= new Set();
        found.add(owner);
      }
    }
    return found ? [...found].sort((a, b) => a - b) : [];
  }
}

/** A prime, so that pairs of letters spread evenly. */
const MIXED = 4093;
const NONE: readonly never[] = [];

function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}
