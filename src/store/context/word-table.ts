import { commonIn } from '../../context/search/languages.ts';
import { SEARCH } from '../../context/search/search-settings.ts';
import { documentWords } from '../../context/search/search-terms.ts';
import { HASH_START, hashByte } from './vocabulary.ts';

/** A word of search and the number of its term in each language, as far as it was needed. */
export interface Word {
  readonly word: string;
  /** A bit for each language of which it is a common word. */
  readonly common: number;
  readonly terms: (number | undefined)[];
}

/** Words are remembered up to so many: of texts without end hardly any comes twice. */
const WORDS_KEPT = 400_000;
const SLOTS = 1 << 20;
const ASCII_END = 0x80;

/** By character of ASCII: what it is in lower case, where it belongs to a word; else 0. */
const LETTERS = Uint8Array.from({ length: ASCII_END }, (_, code) => {
  const lower = String.fromCharCode(code).toLowerCase();
  return /[a-z0-9]/.test(lower) ? lower.charCodeAt(0) : 0;
});

/** The words of texts. In ASCII they are looked up in place: a string for each word of each document would be most of the work. */
export class WordTable {
  readonly #words: Word[] = [];
  readonly #hashes: number[] = [];
  readonly #slots = new Int32Array(SLOTS);
  readonly #others = new Map<string, Word>();

  /** The same words as `documentWords`, in the same order. */
  wordsOf(text: string): Word[] {
    return this.#asciiWords(text) ?? documentWords(text).map((word) => this.#others.get(word) ?? this.#addOther(word));
  }

  /** Undefined where the text is not ASCII. */
  #asciiWords(text: string): Word[] | undefined {
    const found: Word[] = [];
    const end = text.length;
    let start = 0;
    let hash = HASH_START;
    for (let place = 0; place < end; place++) {
      const code = text.charCodeAt(place);
      if (code >= ASCII_END) return undefined;
      const letter = LETTERS[code] as number;
      if (letter !== 0) hash = hashByte(hash, letter);
      const isFull = letter !== 0 && place + 1 - start === SEARCH.wordCharactersMax;
      if (letter !== 0 && !isFull) continue;
      const wordEnd = isFull ? place + 1 : place;
      if (wordEnd > start) found.push(this.#at(text, start, wordEnd, hash));
      start = place + 1;
      hash = HASH_START;
    }
    if (end > start) found.push(this.#at(text, start, end, hash));
    return found;
  }

  #at(text: string, start: number, end: number, hash: number): Word {
    for (let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const number = (this.#slots[slot] as number) - 1;
      if (number < 0) return this.#add(text.slice(start, end).toLowerCase(), hash, slot);
      const known = this.#words[number] as Word;
      if (this.#hashes[number] === hash && isWordAt(known.word, text, start, end)) return known;
    }
  }

  #add(found: string, hash: number, slot: number): Word {
    const word = wordOf(found);
    if (this.#words.length >= WORDS_KEPT) {
      this.#words.length = 0;
      this.#hashes.length = 0;
      this.#slots.fill(0);
      return word;
    }
    this.#hashes.push(hash);
    this.#slots[slot] = this.#words.push(word);
    return word;
  }

  #addOther(found: string): Word {
    if (this.#others.size >= WORDS_KEPT) this.#others.clear();
    const word = wordOf(found);
    this.#others.set(word.word, word);
    return word;
  }
}

/** The word is copied: a part of a text would keep the whole text in memory. */
function wordOf(found: string): Word {
  const word = Buffer.from(found).toString('utf8');
  return { word, common: commonIn(word), terms: [] };
}

function isWordAt(word: string, text: string, start: number, end: number): boolean {
  if (word.length !== end - start) return false;
  for (let place = start; place < end; place++) {
    if (word.charCodeAt(place - start) !== LETTERS[text.charCodeAt(place)]) return false;
  }
  return true;
}
