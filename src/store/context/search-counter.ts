import { readFrontMatter } from '../../context/search/front-matter.ts';
import { CHUNK_NUMBERS } from '../../context/search/index-input.ts';
import { LANGUAGES, languageOf, stemOf } from '../../context/search/languages.ts';
import { counted } from '../../context/search/packed-counts.ts';
import { termKey } from '../../context/search/rank-chunks.ts';
import type { Field } from '../../context/search/search-settings.ts';
import { type Chunk, splitChunks } from '../../context/search/split-chunks.ts';
import { countTokens } from '../../context/tokens.ts';
import { NumberList } from './number-list.ts';
import { type Word, WordTable } from './word-table.ts';

/** What search needs to know of a run of documents. */
export interface SearchRun {
  readonly languages: number;
  /** As in the index, but documents are counted from the first of the run, and headings from its first byte. */
  readonly measures: Uint32Array;
  readonly chunks: Uint32Array;
  readonly headings: Uint8Array;
  /** Terms that no earlier run of the same counter had, a blank after each; their numbers continue from there. */
  readonly newTerms: string;
  /** How many distinct terms each chunk has. */
  readonly termsPerChunk: Uint32Array;
  /** Number and packed counts of each of those terms, chunk after chunk. */
  readonly terms: Uint32Array;
  readonly counts: Uint32Array;
}

const MEASURE_MAX = 0xffff;

/** Counts the terms of chunks, with one vocabulary for many runs. */
export class SearchCounter {
  readonly #numbers = new Map<string, number>();
  readonly #words = new WordTable();
  #newTerms: string[] = [];
  /** By term: the chunk that had it last, and where its counts stand. */
  readonly #lastChunk = new NumberList();
  readonly #place = new NumberList();
  readonly #measures = new NumberList();
  readonly #chunks = new NumberList();
  #headings: string[] = [];
  #headingBytes = 0;
  #lastHeadings: readonly string[] | undefined;
  readonly #termsPerChunk = new NumberList();
  readonly #terms = new NumberList();
  readonly #counts = new NumberList();
  #chunksSeen = 0;
  #documents = 0;
  #languages = 0;

  /** Counts a document; documents come in id order. */
  add(id: string, content: string): void {
    const matter = readFrontMatter(content);
    const chunks = splitChunks(content, matter);
    const bodies = chunks.map(({ text }) => this.#words.wordsOf(text));
    const path = this.#words.wordsOf(id);
    const language = LANGUAGES.indexOf(languageOf(matter.language, id, commonWords(bodies)));
    this.#languages |= 1 << language;
    this.#lastHeadings = undefined;
    let headings: Word[] = [];
    chunks.forEach((chunk, index) => {
      if (chunk.headings !== chunks[index - 1]?.headings) headings = this.#words.wordsOf(chunk.headings.join('\n'));
      this.#addChunk(chunk, { heading: headings, path, body: bodies[index] as Word[] }, language);
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
    this.#headingBytes = 0;
    this.#documents = 0;
    this.#languages = 0;
    return {
      languages,
      measures: this.#measures.take(),
      chunks: this.#chunks.take(),
      // In memory of its own: it is handed to another thread.
      headings: Uint8Array.from(headings),
      newTerms,
      termsPerChunk: this.#termsPerChunk.take(),
      terms: this.#terms.take(),
      counts: this.#counts.take(),
    };
  }

  #addChunk({ start, end, headings }: Chunk, words: Readonly<Record<Field, readonly Word[]>>, language: number): void {
    this.#chunksSeen += 1;
    if (headings !== this.#lastHeadings) this.#addHeadings(headings);
    const headingStart = this.#headingBytes - Buffer.byteLength(headings.join('\n'));
    for (const number of [this.#documents, start, end, headingStart, this.#headingBytes]) this.#chunks.push(number);
    for (const field of [words.heading, words.path, words.body])
      this.#measures.push(Math.min(field.length, MEASURE_MAX));
    this.#measures.push(Math.min(countTokens(end - start), MEASURE_MAX));
    const before = this.#terms.length;
    for (const word of words.heading) this.#count(this.#termOf(word, language), 'heading');
    for (const word of words.path) this.#count(this.#termOf(word, language), 'path');
    for (const word of words.body) this.#count(this.#termOf(word, language), 'body');
    this.#termsPerChunk.push(this.#terms.length - before);
  }

  #addHeadings(headings: readonly string[]): void {
    const text = headings.join('\n');
    this.#headings.push(text);
    this.#headingBytes += Buffer.byteLength(text);
    this.#lastHeadings = headings;
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

  #termOf({ word, terms }: Word, language: number): number {
    const known = terms[language];
    if (known !== undefined) return known;
    const number = this.#numberOf(termKey(language, stemOf(word, LANGUAGES[language] as (typeof LANGUAGES)[number])));
    terms[language] = number;
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
}

/** By language: how many words are common ones of it. */
function commonWords(bodies: readonly (readonly Word[])[]): number[] {
  const hits = LANGUAGES.map(() => 0);
  for (const body of bodies) {
    for (const { common } of body) {
      if (common === 0) continue;
      for (let language = 0; language < hits.length; language++) {
        if ((common & (1 << language)) !== 0) hits[language] = (hits[language] as number) + 1;
      }
    }
  }
  return hits;
}

/** How many chunks a run has. */
export function chunksIn(run: SearchRun): number {
  return run.chunks.length / CHUNK_NUMBERS;
}

/** What is handed over instead of copied. */
export function memoryOfRun({ measures, chunks, headings, termsPerChunk, terms, counts }: SearchRun): ArrayBuffer[] {
  return [measures, chunks, headings, termsPerChunk, terms, counts].map(({ buffer }) => buffer as ArrayBuffer);
}
