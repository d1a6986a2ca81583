import { splitTerms } from '../../context/terms.ts';
import { countTokens } from '../../context/tokens.ts';

/** The words of a run of documents, counted. */
export interface CountedRun {
  readonly totalWords: Uint32Array;
  readonly tokens: Uint32Array;
  /** Terms that no earlier run of the same counter had; their numbers continue from there. */
  readonly newTerms: readonly string[];
  /** How many distinct terms each document has. */
  readonly termsPerDocument: Uint32Array;
  /** Number and count of each of those terms, document after document. */
  readonly terms: Uint32Array;
  readonly counts: Uint32Array;
}

/** Counts words with one vocabulary for many runs. */
export class TermCounter {
  readonly #numbers = new Map<string, number>();
  /** By term: the document that had it last, and where its count stands. */
  readonly #lastDocument: number[] = [];
  readonly #place: number[] = [];
  #documentsSeen = 0;
  #totalWords: number[] = [];
  #tokens: number[] = [];
  #newTerms: string[] = [];
  #termsPerDocument: number[] = [];
  #terms: number[] = [];
  #counts: number[] = [];

  add(content: string, contentBytes: number): void {
    const document = ++this.#documentsSeen;
    const before = this.#terms.length;
    const words = splitTerms(content);
    for (const word of words) {
      const number = this.#numberOf(word);
      if (this.#lastDocument[number] === document) {
        const place = this.#place[number] as number;
        this.#counts[place] = (this.#counts[place] as number) + 1;
      } else {
        this.#lastDocument[number] = document;
        this.#place[number] = this.#terms.length;
        this.#terms.push(number);
        this.#counts.push(1);
      }
    }
    this.#totalWords.push(words.length);
    this.#tokens.push(countTokens(contentBytes));
    this.#termsPerDocument.push(this.#terms.length - before);
  }

  /** The run since the last call. */
  take(): CountedRun {
    const run: CountedRun = {
      totalWords: Uint32Array.from(this.#totalWords),
      tokens: Uint32Array.from(this.#tokens),
      newTerms: this.#newTerms,
      termsPerDocument: Uint32Array.from(this.#termsPerDocument),
      terms: Uint32Array.from(this.#terms),
      counts: Uint32Array.from(this.#counts),
    };
    this.#totalWords = [];
    this.#tokens = [];
    this.#newTerms = [];
    this.#termsPerDocument = [];
    this.#terms = [];
    this.#counts = [];
    return run;
  }

  #numberOf(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(word, number);
    this.#newTerms.push(word);
    return number;
  }
}
