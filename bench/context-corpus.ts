import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A repeatable source of numbers from 0 up to 1 (mulberry32). */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Corpus {
  readonly documents: readonly { readonly path: string; readonly content: string }[];
  /** From the most to the least frequent. */
  readonly words: readonly string[];
}

const WORDS = 30_000;
const WORDS_PER_DOCUMENT = 46;

/** Documents of about 450 bytes whose words are as unevenly frequent as those of a language. */
export function createCorpus(documentCount: number, seed: number): Corpus {
  const next = seededNumbers(seed);
  const words = createWords(next);
  const pick = () => words[Math.min(WORDS - 1, Math.floor(WORDS ** next()) - 1)] as string;
  const documents = Array.from({ length: documentCount }, (_, index) => {
    const length = Math.floor(WORDS_PER_DOCUMENT * (0.4 + 1.2 * next()));
    const body = Array.from({ length }, pick);
    for (let place = 12; place < body.length; place += 13) body[place] += '.\n';
    return {
      path: `section-${String(index % 200).padStart(3, '0')}/page-${String(index).padStart(6, '0')}.md`,
      content: `# ${pick()} ${pick()} ${index}\n\n${body.join(' ')}\n`,
    };
  });
  return { documents, words };
}

export function writeCorpus(folder: string, corpus: Corpus): void {
  for (let section = 0; section < 200; section++) {
    mkdirSync(join(folder, `section-${String(section).padStart(3, '0')}`), { recursive: true });
  }
  for (const { path, content } of corpus.documents) writeFileSync(join(folder, path), content);
}

/** Writes the texts of a corpus to one new folder. */
export function writeFiles(folder: string, { documents }: Corpus): void {
  mkdirSync(folder);
  for (const [index, { content }] of documents.entries()) writeFileSync(join(folder, String(index)), content);
}

function createWords(next: () => number): string[] {
  const syllables = 'ka ro mi ten sol ver dan qui lem par est on ur thi bra nel cor fa gis hul jo wex yor zin'.split(
    ' ',
  );
  const words = new Set<string>();
  while (words.size < WORDS) {
    const length = 1 + Math.floor(next() * 4);
    words.add(Array.from({ length }, () => syllables[Math.floor(next() * syllables.length)]).join(''));
  }
  return [...words];
}
