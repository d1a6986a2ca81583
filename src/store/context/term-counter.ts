import { isAscii } from 'node:buffer';
import { splitTerms } from '../../context/terms.ts';
import { countTokens } from '../../context/tokens.ts';
import { encodeUtf8 } from '../../context/utf8.ts';
import { Vocabulary } from './vocabulary.ts';

const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;

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
  readonly #vocabulary = new Vocabulary();
  /** By term: the document that had it last, and where its count stands. */
  readonly #lastDocument: number[] = [];
  readonly #place: number[] = [];
  #documentsSeen = 0;
  #lower = new Uint8Array(4096);
  #totalWords: number[] = [];
  #tokens: number[] = [];
  #termsTaken = 0;
  #termsPerDocument: number[] = [];
  #terms: number[] = [];
  #counts: number[] = [];

  /** Counts a document: its content, and the same as UTF-8. */
  add(content: string, bytes: Uint8Array): void {
    this.#documentsSeen++;
    const before = this.#terms.length;
    this.#totalWords.push(isAscii(bytes) ? this.#countAscii(bytes) : this.#countWords(splitTerms(content)));
    this.#tokens.push(countTokens(bytes.length));
    this.#termsPerDocument.push(this.#terms.length - before);
  }

  /** The run since the last call. */
  take(): CountedRun {
    const newTerms: string[] = [];
    for (let number = this.#termsTaken; number < this.#vocabulary.count; number++) {
      newTerms.push(this.#vocabulary.word(number));
    }
    this.#termsTaken = this.#vocabulary.count;
    const run: CountedRun = {
      totalWords: Uint32Array.from(this.#totalWords),
      tokens: Uint32Array.from(this.#tokens),
      newTerms,
      termsPerDocument: Uint32Array.from(this.#termsPerDocument),
      terms: Uint32Array.from(this.#terms),
      counts: Uint32Array.from(this.#counts),
    };
    this.#totalWords = [];
    this.#tokens = [];
    this.#termsPerDocument = [];
    this.#terms = [];
    this.#counts = [];
    return run;
  }

  /** Without a string for each word: in ASCII, lower case and white space are a matter of single bytes. */
  #countAscii(bytes: Uint8Array): number {
    if (this.#lower.length < bytes.length) this.#lower = new Uint8Array(bytes.length * 2);
    const lower = this.#lower;
    let words = 0;
    let start = 0;
    for (let place = 0; place <= bytes.length; place++) {
      const byte = place < bytes.length ? (bytes[place] as number) : SPACE;
      if (byte === SPACE || (byte >= TAB && byte <= CARRIAGE_RETURN)) {
        if (place > start) {
          this.#count(this.#vocabulary.numberOf(lower, start, place));
          words++;
        }
        start = place + 1;
      } else lower[place] = byte >= UPPER_A && byte <= UPPER_Z ? byte + 32 : byte;
    }
    return words;
  }

  #countWords(words: readonly string[]): number {
    for (const word of words) {
      const bytes = encodeUtf8(word);
      this.#count(this.#vocabulary.numberOf(bytes, 0, bytes.length));
    }
    return words.length;
  }

  #count(number: number): void {
    if (this.#lastDocument[number] === this.#documentsSeen) {
      const place = this.#place[number] as number;
      this.#counts[place] = (this.#counts[place] as number) + 1;
    } else {
      this.#lastDocument[number] = this.#documentsSeen;
      this.#place[number] = this.#terms.length;
      this.#terms.push(number);
      this.#counts.push(1);
    }
  }
}
