/** Number of weights, a power of two; letter groups are hashed into them. */
export const LETTER_WEIGHTS = 1 << 14;

const LONGEST = 4;

/** Indices of the weights of a word's groups of two to four letters; `^` and `$` mark its ends. */
export function letterGroups(word: string): number[] {
  const marked = `^${word}$`;
  const groups: number[] = [];
  for (let start = 0; start < marked.length; start++) {
    let hash = 0x811c9dc5;
    for (let end = start; end < marked.length && end < start + LONGEST; end++) {
      hash = Math.imul(hash ^ marked.charCodeAt(end), 0x01000193) >>> 0;
      if (end > start) groups.push((hash ^ (hash >>> 15)) & (LETTER_WEIGHTS - 1));
    }
  }
  return groups;
}

/** Tells names from other words by their letters, as learned from the lists: above zero a name is more likely. */
export class LetterModel {
  readonly #weights: Int8Array;

  constructor(base64: string) {
    this.#weights = Int8Array.from(atob(base64), (char) => char.charCodeAt(0));
  }

  /** Log odds, in sixteenths. */
  score(word: string): number {
    let sum = 0;
    for (const group of letterGroups(word)) sum += this.#weights[group] as number;
    return sum;
  }
}
