import { isAscii } from 'node:buffer';
import { splitTerms } from '../../context/terms.ts';
import { countTokens } from '../../context/tokens.ts';
import { encodeUtf8 } from '../../context/utf8.ts';
import { NumberList } from './number-list.ts';
import { HASH_START, hashByte, Vocabulary } from './vocabulary.ts';

const SPACE = 0x20;

/** ASCII in lower case, and every white space as a blank. */
const FOLDED = Uint8Array.from({ length: 128 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return /[\t-\r ]/.test(character) ? SPACE : character.toLowerCase().charCodeAt(0);
});

/** The counted words of a run of documents. */
export interface CountedRun {
  readonly totalWords: Uint32Array;
  readonly tokens: Uint32Array;
  /** Terms that are new in this run, a blank after each; their numbers continue from earlier runs. */
  readonly newTerms: string;
  /** Number of distinct terms per document. */
  readonly termsPerDocument: Uint32Array;
  /** Number and count of each of these terms, document by document. */
  readonly terms: Uint32Array;
  readonly counts: Uint32Array;
}

/** The new terms of a run. One text crosses threads several times faster than many. */
export function termsOf({ newTerms }: CountedRun): string[] {
  return newTerms.split(' ').slice(0, -1);
}

/** The terms of an ASCII document in order, and where each ends in its bytes. */
export interface TermSequence {
  readonly vocabulary: Vocabulary;
  readonly terms: NumberList;
  readonly ends: NumberList;
}

/** Counts words, with one vocabulary for many runs. */
export class TermCounter {
  readonly #vocabulary = new Vocabulary();
  readonly #sequence: TermSequence = {
    vocabulary: this.#vocabulary,
    terms: new NumberList(),
    ends: new NumberList(),
  };
  /** By term: the last document that contained it, and the place of its count. */
  readonly #lastDocument = new NumberList();
  readonly #place = new NumberList();
  readonly #totalWords = new NumberList();
  readonly #tokens = new NumberList();
  readonly #termsPerDocument = new NumberList();
  readonly #terms = new NumberList();
  readonly #counts = new NumberList();
  #documentsSeen = 0;
  #termsTaken = 0;
  #folded = new Uint8Array(4096);

  /** Counts a document, given as content and as UTF-8. The result is valid until the next call; undefined if the document is not ASCII. */
  add(content: string, bytes: Uint8Array): TermSequence | undefined {
    this.#documentsSeen++;
    const before = this.#terms.length;
    const isPlain = isAscii(bytes);
    this.#totalWords.push(isPlain ? this.#countAscii(bytes) : this.#countWords(splitTerms(content)));
    this.#tokens.push(countTokens(bytes.length));
    this.#termsPerDocument.push(this.#terms.length - before);
    return isPlain ? this.#sequence : undefined;
  }

  /** The run since the last call. */
  take(): CountedRun {
    const newTerms = this.#vocabulary.textFrom(this.#termsTaken);
    this.#termsTaken = this.#vocabulary.count;
    return {
      totalWords: this.#totalWords.take(),
      tokens: this.#tokens.take(),
      newTerms,
      termsPerDocument: this.#termsPerDocument.take(),
      terms: this.#terms.take(),
      counts: this.#counts.take(),
    };
  }

  /** Creates no string per word: in ASCII, lower case and white space concern single bytes. */
  #countAscii(bytes: Uint8Array): number {
    const end = bytes.length;
    if (this.#folded.length < end) this.#folded = new Uint8Array(end * 2);
    const folded = this.#folded;
    const { vocabulary, terms, ends } = this.#sequence;
    terms.clear();
    ends.clear();
    let start = 0;
    let hash = HASH_START;
    for (let place = 0; place < end; place++) {
      const byte = FOLDED[bytes[place] as number] as number;
      folded[place] = byte;
      if (byte !== SPACE) hash = hashByte(hash, byte);
      else {
        if (place > start) {
          terms.push(vocabulary.numberOf(folded, start, place, hash));
          ends.push(place);
        }
        start = place + 1;
        hash = HASH_START;
      }
    }
    if (end > start) {
      terms.push(vocabulary.numberOf(folded, start, end, hash));
      ends.push(end);
    }
    for (let word = 0; word < terms.length; word++) this.#count(terms.at(word));
    return terms.length;
  }

  #countWords(words: readonly string[]): number {
    for (const word of words) {
      const bytes = encodeUtf8(word);
      let hash = HASH_START;
      for (const byte of bytes) hash = hashByte(hash, byte);
      this.#count(this.#vocabulary.numberOf(bytes, 0, bytes.length, hash));
    }
    return words.length;
  }

  #count(term: number): void {
    if (this.#lastDocument.at(term) === this.#documentsSeen) {
      this.#counts.increment(this.#place.at(term));
      return;
    }
    this.#lastDocument.set(term, this.#documentsSeen);
    this.#place.set(term, this.#terms.length);
    this.#terms.push(term);
    this.#counts.push(1);
  }
}
