/**
 * Tells which of many short texts occur in a text, in one walk over it: patterns that cost something are tried only where
 * one of their hints occurs. A hint is of small letters and at least two units long.
 */
export class HintIndex {
  /** Whether any hint begins with two units of this mixed value; nearly every place of a text ends here. */
  readonly #begins = new Uint8Array(MIXED);
  readonly #byBeginning = new Map<number, { readonly hint: string; readonly owner: number }[]>();

  /** `owners`: one list of hints for each owner; what is found are the owners' indices. */
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

  /** Owners of the hints that occur in a text of small letters, in their order. */
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

/** A prime, so that pairs of letters spread over it. */
const MIXED = 4093;
const NONE: readonly never[] = [];

function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}
