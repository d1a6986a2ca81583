import { readAsWords } from '../scrub/look-alikes.ts';
import { PLAIN_PHRASES, TOPIC_WORDS, type Topic } from './topics.ts';

/** A matched topic, with the words that matched. */
export interface TopicFound {
  readonly topic: Topic;
  /** The matched entry of the table. */
  readonly entry: number;
  readonly words: string;
}

/** Consecutive words. */
interface Phrase {
  readonly source: string;
  /** Ids of its words. */
  readonly words: readonly number[];
}

/** An entry of the table: every part needs one matching phrase. */
interface Entry {
  readonly topic: Topic;
  readonly parts: readonly ReadonlySet<number>[];
}

/** Folds a text like the table: no capitals, accents or look-alikes, and Arabic letters in one form. */
export function foldWords(text: string): string {
  return readAsWords(text)
    .normalize('NFD')
    .replace(/[\p{M}\u0640]/gu, '')
    .replaceAll('\u0649', '\u064a')
    .replaceAll('\u0629', '\u0647');
}

const ARABIC = /^[\u0621-\u064a]{4,}$/;

/** A word, and its forms without the attached Arabic particles. */
function formsOf(word: string): string[] {
  if (!ARABIC.test(word)) return [word];
  const bare = word.replace(/^[وف](?=.{3})/u, '');
  const shorter = bare.replace(/^[بلك](?=.{3})/u, '');
  return [
    ...new Set([word, bare, shorter, shorter.replace(/^(?:ال|ل)(?=.{2})/u, ''), bare.replace(/^ال(?=.{2})/u, '')]),
  ];
}

/** Shorter exact words are compared as written; in longer ones `1` also matches `l`. */
const SKELETON_CHARS_MIN = 4;

function skeletonOf(word: string, isExact: boolean): string {
  return isExact && word.length < SKELETON_CHARS_MIN ? word : word.replaceAll('l', 'i');
}

/** What is left of Cyrillic in a folded word, and stems that Cyrillic letters alone can spell: `отримати` begins like `otp`. */
const CYRILLIC = /[\u0400-\u052f]/;
const LATIN_LIKE_CYRILLIC = /^[abcehikmoptxy]+$/;
const LATIN = /^[a-z]/;

/** Assigns an id to each word of the table, and finds the ids that a word of a text matches. */
class WordIndex {
  readonly #exact = new Map<string, number>();
  readonly #beginnings = new Map<string, number>();
  /** Latin beginnings that words of Cyrillic letters may have by chance. */
  readonly #chanced = new Set<number>();
  readonly #others: { readonly part: string; readonly ends: boolean; readonly id: number }[] = [];
  #count = 0;
  #longest = 0;

  /** The id of a word of the table. */
  idOf(source: string): number {
    const word = skeletonOf(foldWords(source.replaceAll('*', '')), !source.includes('*'));
    if (source.startsWith('*')) {
      const id = this.#count++;
      this.#others.push({ part: word, ends: !source.endsWith('*'), id });
      return id;
    }
    const map = source.endsWith('*') ? this.#beginnings : this.#exact;
    const known = map.get(word);
    const id = known ?? this.#count++;
    map.set(word, id);
    if (!LATIN.test(source)) this.#chanced.delete(id);
    else if (known === undefined && LATIN_LIKE_CYRILLIC.test(word)) this.#chanced.add(id);
    this.#longest = Math.max(this.#longest, word.length);
    return id;
  }

  find(word: string): number[] {
    const found: number[] = [];
    for (const read of formsOf(word)) {
      const exact = this.#exact.get(skeletonOf(read, true));
      const form = skeletonOf(read, false);
      const isCyrillic = CYRILLIC.test(form);
      if (exact !== undefined) found.push(exact);
      for (let length = Math.min(form.length, this.#longest); length > 1; length--) {
        const id = this.#beginnings.get(form.slice(0, length));
        if (id !== undefined && !(isCyrillic && this.#chanced.has(id))) found.push(id);
      }
      for (const { part, ends, id } of this.#others) {
        if (ends ? form.endsWith(part) : form.includes(part)) found.push(id);
      }
    }
    return found;
  }
}

const words = new WordIndex();
const phrases: Phrase[] = [];
const phrasesByFirst = new Map<number, number[]>();
const entries: Entry[] = [];
const entriesByPhrase = new Map<number, number[]>();
const plainPhrases = new Set<number>();

for (const [topic, , line] of TOPIC_WORDS) for (const source of line.split(' ')) addEntry(topic, source);
for (const source of PLAIN_PHRASES.split(' ')) plainPhrases.add(addPhrase(source));

function addEntry(topic: Topic, source: string): void {
  const parts = source.split('+').map((part) => new Set(part.split('|').map(addPhrase)));
  const entry = entries.push({ topic, parts }) - 1;
  for (const phrase of parts.flatMap((part) => [...part])) {
    entriesByPhrase.set(phrase, [...(entriesByPhrase.get(phrase) ?? []), entry]);
  }
}

function addPhrase(source: string): number {
  const ids = source.split('_').map((word) => words.idOf(word));
  const phrase = phrases.push({ source: source.replaceAll('_', ' ').replaceAll('*', '…'), words: ids }) - 1;
  const first = ids[0] as number;
  phrasesByFirst.set(first, [...(phrasesByFirst.get(first) ?? []), phrase]);
  return phrase;
}

/** The entries of the table that a text matches. */
export function topicsOf(text: readonly string[]): TopicFound[] {
  const ids = text.map((word) => words.find(word));
  blankPlainPhrases(ids);
  const met = new Set<number>();
  for (const [at] of ids.entries()) for (const phrase of phrasesAt(ids, at)) met.add(phrase);
  const tried = new Set([...met].flatMap((phrase) => entriesByPhrase.get(phrase) ?? []));
  return [...tried].flatMap((entry) => {
    const { topic, parts } = entries[entry] as Entry;
    const found = parts.map((part) => [...part].find((phrase) => met.has(phrase)));
    if (found.includes(undefined)) return [];
    return [{ topic, entry, words: found.map((phrase) => phrases[phrase as number]?.source).join(' + ') }];
  });
}

function phrasesAt(ids: readonly (readonly number[])[], at: number): number[] {
  return (ids[at] ?? []).flatMap((first) =>
    (phrasesByFirst.get(first) ?? []).filter((phrase) =>
      (phrases[phrase] as Phrase).words.every((word, offset) => ids[at + offset]?.includes(word)),
    ),
  );
}

function blankPlainPhrases(ids: number[][]): void {
  for (const [at] of ids.entries()) {
    for (const phrase of phrasesAt(ids, at)) {
      if (plainPhrases.has(phrase)) ids.fill([], at, at + (phrases[phrase] as Phrase).words.length);
    }
  }
}
