import { isAscii } from 'node:buffer';
import { commonIn } from '../../context/search/languages.ts';
import { SEARCH } from '../../context/search/search-settings.ts';
import { documentWords } from '../../context/search/search-terms.ts';
import { encodeUtf8 } from '../../context/utf8.ts';
import { NumberList } from './number-list.ts';
import { HASH_START, hashByte, Vocabulary } from './vocabulary.ts';

/** Words outside ASCII are remembered up to so many: of texts without end hardly any comes twice. */
const WORDS_KEPT = 400_000;
const ASCII_END = 0x80;
const UTF8_BYTES_MAX = 3;
const MEMORY_BYTES = 16 * 1024;

/** By character of ASCII: what it is in lower case, where it belongs to a word; else 0. */
const LETTERS = Uint8Array.from({ length: ASCII_END }, (_, code) => {
  const lower = String.fromCharCode(code).toLowerCase();
  return /[a-z0-9]/.test(lower) ? lower.charCodeAt(0) : 0;
});

/**
 * Numbers the words that search compares. In ASCII they are looked up as bytes, in place: a string for each word of each document
 * would be most of the work.
 */
export class WordTable {
  readonly #vocabulary = new Vocabulary();
  /** By word: a bit for each language of which it is a common word. */
  readonly #common = new NumberList();
  readonly #others = new Map<string, number>();
  /** By term of postings: where its words begin in the list below, and one; and how many there are. */
  readonly #termStarts = new NumberList();
  readonly #termLengths = new NumberList();
  readonly #termWords = new NumberList();
  readonly #folded = new Uint8Array(SEARCH.wordCharactersMax);
  readonly #memory = Buffer.allocUnsafeSlow(MEMORY_BYTES);

  /** Adds the numbers of the words of a text to a list, in the order of `documentWords`. */
  addWords(text: string, into: NumberList): void {
    const isSmall = text.length * UTF8_BYTES_MAX <= MEMORY_BYTES;
    const bytes = isSmall ? this.#memory.subarray(0, this.#memory.write(text)) : Buffer.from(text);
    this.addWordsOf(text, bytes, into);
  }

  /** The same for a text whose UTF-8 is known. */
  addWordsOf(text: string, bytes: Uint8Array, into: NumberList): void {
    if (isAscii(bytes)) this.#addAscii(bytes, into);
    else for (const word of documentWords(text)) into.push(this.#others.get(word) ?? this.#addOther(word));
  }

  /** The same for a term that postings have counted: a term that came before is not read again. */
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
    // A part of a text would keep the whole text in memory, so the text of the table is the key.
    this.#others.set(this.text(number), number);
    return number;
  }

  #numberOf(bytes: Uint8Array, length: number, hash: number): number {
    const number = this.#vocabulary.numberOf(bytes, 0, length, hash);
    if (number === this.#common.length) this.#common.push(commonIn(this.text(number)));
    return number;
  }
}
