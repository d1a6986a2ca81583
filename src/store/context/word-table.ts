import { isAscii } from 'node:buffer';
import { commonIn } from '../../context/search/languages.ts';
import { SEARCH } from '../../context/search/search-settings.ts';
import { documentWords } from '../../context/search/search-terms.ts';
import { encodeUtf8 } from '../../context/utf8.ts';
import { NumberList } from './number-list.ts';
import { HASH_START, hashByte, Vocabulary } from './vocabulary.ts';

/** Limit of cached non-ASCII words: in endless texts hardly any repeats. */
const WORDS_KEPT = 400_000;
const ASCII_END = 0x80;
const UTF8_BYTES_MAX = 3;
const MEMORY_BYTES = 16 * 1024;

/** By ASCII character: its lower case if it belongs to a word, else 0. */
const LETTERS = Uint8Array.from({ length: ASCII_END }, (_, code) => {
  const lower = String.fromCharCode(code).toLowerCase();
  return /[a-z0-9]/.test(lower) ? lower.charCodeAt(0) : 0;
});

/**
 * Numbers the words that search compares. ASCII words are looked up as bytes, in place: creating a string per word would be most of the
 * work.
 */
export class WordTable {
  readonly #vocabulary = new Vocabulary();
  /** By word: a bit for each language in which it is common. */
  readonly #common = new NumberList();
  readonly #others = new Map<string, number>();
  /** By term of postings: the start of its words in the list below, plus one; and their number. */
  readonly #termStarts = new NumberList();
  readonly #termLengths = new NumberList();
  readonly #termWords = new NumberList();
  readonly #folded = new Uint8Array(SEARCH.wordCharactersMax);
  readonly #memory = Buffer.allocUnsafeSlow(MEMORY_BYTES);

  /** Appends the numbers of a text's words to a list, in the order of `documentWords`. */
  addWords(text: string, into: NumberList): void {
    const isSmall = text.length * UTF8_BYTES_MAX <= MEMORY_BYTES;
    const bytes = isSmall ? this.#memory.subarray(0, this.#memory.write(text)) : Buffer.from(text);
    this.addWordsOf(text, bytes, into);
  }

  /** The same for a text with known UTF-8 bytes. */
  addWordsOf(text: string, bytes: Uint8Array, into: NumberList): void {
    if (isAscii(bytes)) this.#addAscii(bytes, into);
    else for (const word of documentWords(text)) into.push(this.#others.get(word) ?? this.#addOther(word));
  }

  /** The same for a term counted for postings: a known term is not read again. */
  addWordsOfTerm(term: number, vocabulary: Vocabulary, into: NumberList): void {
    if (this.#termStarts.at(term) === 0) this.#readTerm(term, vocabulary.text(term));
    const start = this.#termStarts.at(term) - 1;
    const end = start + this.#termLengths.at(term);
    for (let place = start; place < end; place++) into.push(this.#termWords.at(place));
  }

  text(word: number): string {
    return this.#vocabulary.text(word);
  }

  common(word: number): number {
    return this.#common.at(word);
  }

  #addAscii(bytes: Uint8Array, into: NumberList): void {
    const folded = this.#folded;
    let length = 0;
    let hash = HASH_START;
    for (let place = 0; place < bytes.length; place++) {
      const letter = LETTERS[bytes[place] as number] as number;
      if (letter !== 0) {
        folded[length++] = letter;
        hash = hashByte(hash, letter);
        if (length < SEARCH.wordCharactersMax) continue;
      }
      if (length > 0) into.push(this.#numberOf(folded, length, hash));
      length = 0;
      hash = HASH_START;
    }
    if (length > 0) into.push(this.#numberOf(folded, length, hash));
  }

  #readTerm(term: number, text: string): void {
    const start = this.#termWords.length;
    this.addWords(text, this.#termWords);
    this.#termStarts.set(term, start + 1);
    this.#termLengths.set(term, this.#termWords.length - start);
  }

  #addOther(word: string): number {
    if (this.#others.size >= WORDS_KEPT) this.#others.clear();
    const bytes = encodeUtf8(word);
    const number = this.#numberOf(bytes, bytes.length, bytes.reduce(hashByte, HASH_START));
    // A substring would keep the whole text in memory, so the key is the table's own text.
    this.#others.set(this.text(number), number);
    return number;
  }

  #numberOf(bytes: Uint8Array, length: number, hash: number): number {
    const number = this.#vocabulary.numberOf(bytes, 0, length, hash);
    if (number === this.#common.length) this.#common.push(commonIn(this.text(number)));
    return number;
  }
}
