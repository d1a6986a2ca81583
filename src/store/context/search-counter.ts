import { readFrontMatter } from '../../context/search/front-matter.ts';
import { CHUNK_NUMBERS } from '../../context/search/index-input.ts';
import { LANGUAGES, languageOf, stemOf } from '../../context/search/languages.ts';
import { counted } from '../../context/search/packed-counts.ts';
import { termKey } from '../../context/search/rank-chunks.ts';
import type { Field } from '../../context/search/search-settings.ts';
import { type Chunk, splitChunks } from '../../context/search/split-chunks.ts';
import { countTokens } from '../../context/tokens.ts';
import { NumberList } from './number-list.ts';
import type { TermSequence } from './term-counter.ts';
import { WordTable } from './word-table.ts';

/** Search data of a run of documents. */
export interface SearchRun {
  readonly languages: number;
  /** As in the index, but documents count from the run's first document, and headings from its first byte. */
  readonly measures: Uint32Array;
  readonly chunks: Uint32Array;
  readonly headings: Uint8Array;
  /** Terms that are new in this run, a blank after each; their numbers continue from earlier runs. */
  readonly newTerms: string;
  /** Number of distinct terms per chunk. */
  readonly termsPerChunk: Uint32Array;
  /** Number and packed counts of each of these terms, chunk by chunk. */
  readonly terms: Uint32Array;
  readonly counts: Uint32Array;
}

const MEASURE_MAX = 0xffff;

/** Counts the terms of chunks, with one vocabulary for many runs. */
export class SearchCounter {
  readonly #numbers = new Map<string, number>();
  readonly #table = new WordTable();
  /** By language and word: its term number plus one; 0 if not needed yet. */
  readonly #termsOfWords = LANGUAGES.map(() => new NumberList());
  /** Words of one document's fields: its path, the headings of a chunk, and all bodies. */
  readonly #words: Readonly<Record<Field, NumberList>> = {
    heading: new NumberList(),
    path: new NumberList(),
    body: new NumberList(),
  };
  #newTerms: string[] = [];
  /** By term: the last chunk that contained it, and the place of its counts. */
  readonly #lastChunk = new NumberList();
  readonly #place = new NumberList();
  readonly #measures = new NumberList();
  readonly #chunks = new NumberList();
  #headings: string[] = [];
  #headingStart = 0;
  #headingEnd = 0;
  readonly #termsPerChunk = new NumberList();
  readonly #terms = new NumberList();
  readonly #counts = new NumberList();
  #chunksSeen = 0;
  #documents = 0;
  #languages = 0;

  /**
   * Counts a document, given as content and as UTF-8. Documents come in id order. Terms already counted for postings save reading the
   * words; they must always come from the same vocabulary.
   */
  add(id: string, content: string, bytes: Uint8Array, terms?: TermSequence): void {
    const matter = readFrontMatter(content);
    const chunks = splitChunks(content, matter);
    const { path, body } = this.#words;
    path.clear();
    body.clear();
    this.#table.addWords(id, path);
    const bodyEnds = (terms && this.#bodiesOfTerms(chunks, terms)) ?? this.#bodiesOfBytes(chunks, bytes);
    const language = LANGUAGES.indexOf(languageOf(matter.language, id, this.#commonWords()));
    this.#languages |= 1 << language;
    chunks.forEach((chunk, index) => {
      if (chunk.headings !== chunks[index - 1]?.headings) this.#addHeadings(chunk.headings);
      this.#addChunk(chunk, bodyEnds[index - 1] ?? 0, bodyEnds[index] as number, language);
    });
    this.#documents += 1;
  }

  /** The run since the last call. */
  take(): SearchRun {
    const newTerms = this.#newTerms.map((term) => `${term} `).join('');
    const headings = Buffer.from(this.#headings.join(''));
    const languages = this.#languages;
    this.#newTerms = [];
    this.#headings = [];
    this.#headingEnd = 0;
    this.#documents = 0;
    this.#languages = 0;
    return {
      languages,
      measures: this.#measures.take(),
      chunks: this.#chunks.take(),
      // A copy, because it is transferred to another thread.
      headings: Uint8Array.from(headings),
      newTerms,
      termsPerChunk: this.#termsPerChunk.take(),
      terms: this.#terms.take(),
      counts: this.#counts.take(),
    };
  }

  /** Reads the words of all bodies; returns where each body ends. */
  #bodiesOfBytes(chunks: readonly Chunk[], bytes: Uint8Array): number[] {
    const { body } = this.#words;
    body.clear();
    return chunks.map(({ start, end, text }) => {
      this.#table.addWordsOf(text, bytes.subarray(start, end), body);
      return body.length;
    });
  }

  /** The same from the document's terms; undefined if a chunk ends within a term. */
  #bodiesOfTerms(chunks: readonly Chunk[], { vocabulary, terms, ends }: TermSequence): number[] | undefined {
    const { body } = this.#words;
    const bodyEnds: number[] = [];
    let next = 0;
    for (const { end } of chunks) {
      for (; next < terms.length && ends.at(next) <= end; next++)
        this.#table.addWordsOfTerm(terms.at(next), vocabulary, body);
      if (next < terms.length && ends.at(next) - vocabulary.bytesOf(terms.at(next)) < end) return undefined;
      bodyEnds.push(body.length);
    }
    return bodyEnds;
  }

  /** The body of a chunk is a range of the words of all bodies. */
  #addChunk({ start, end }: Chunk, bodyStart: number, bodyEnd: number, language: number): void {
    const { heading, path, body } = this.#words;
    this.#chunksSeen += 1;
    this.#chunks.push(this.#documents);
    this.#chunks.push(start);
    this.#chunks.push(end);
    this.#chunks.push(this.#headingStart);
    this.#chunks.push(this.#headingEnd);
    this.#measures.push(Math.min(heading.length, MEASURE_MAX));
    this.#measures.push(Math.min(path.length, MEASURE_MAX));
    this.#measures.push(Math.min(bodyEnd - bodyStart, MEASURE_MAX));
    this.#measures.push(Math.min(countTokens(end - start), MEASURE_MAX));
    const before = this.#terms.length;
    for (let place = 0; place < heading.length; place++)
      this.#count(this.#termOf(heading.at(place), language), 'heading');
    for (let place = 0; place < path.length; place++) this.#count(this.#termOf(path.at(place), language), 'path');
    for (let place = bodyStart; place < bodyEnd; place++) this.#count(this.#termOf(body.at(place), language), 'body');
    this.#termsPerChunk.push(this.#terms.length - before);
  }

  #addHeadings(headings: readonly string[]): void {
    const text = headings.join('\n');
    this.#headings.push(text);
    this.#headingStart = this.#headingEnd;
    this.#headingEnd += Buffer.byteLength(text);
    this.#words.heading.clear();
    this.#table.addWords(text, this.#words.heading);
  }

  #count(term: number, field: Field): void {
    if (this.#lastChunk.at(term) === this.#chunksSeen) {
      const place = this.#place.at(term);
      this.#counts.set(place, counted(this.#counts.at(place), field));
      return;
    }
    this.#lastChunk.set(term, this.#chunksSeen);
    this.#place.set(term, this.#terms.length);
    this.#terms.push(term);
    this.#counts.push(counted(0, field));
  }

  #termOf(word: number, language: number): number {
    const terms = this.#termsOfWords[language] as NumberList;
    const known = terms.at(word);
    if (known !== 0) return known - 1;
    const stem = stemOf(this.#table.text(word), LANGUAGES[language] as (typeof LANGUAGES)[number]);
    const number = this.#numberOf(termKey(language, stem));
    terms.set(word, number + 1);
    return number;
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(term, number);
    this.#newTerms.push(term);
    return number;
  }

  /** By language: how many words of the bodies are common words of it. */
  #commonWords(): number[] {
    const hits = LANGUAGES.map(() => 0);
    const { body } = this.#words;
    for (let place = 0; place < body.length; place++) {
      const common = this.#table.common(body.at(place));
      if (common === 0) continue;
      for (let language = 0; language < hits.length; language++) {
        if ((common & (1 << language)) !== 0) hits[language] = (hits[language] as number) + 1;
      }
    }
    return hits;
  }
}

/** How many chunks a run has. */
export function chunksIn(run: SearchRun): number {
  return run.chunks.length / CHUNK_NUMBERS;
}

/** Buffers that are transferred instead of copied. */
export function memoryOfRun({ measures, chunks, headings, termsPerChunk, terms, counts }: SearchRun): ArrayBuffer[] {
  return [measures, chunks, headings, termsPerChunk, terms, counts].map(({ buffer }) => buffer as ArrayBuffer);
}
