import { normaliseText } from '../scrub/normalise-text.ts';
import { isCommonWord } from './common-words.ts';

/** The first provider name in a text, or undefined. */
export type NameMatcher = (text: string) => string | undefined;

export const noNames: NameMatcher = () => undefined;

/** A provider to search for. */
export interface ProviderName {
  readonly name: string;
  /** Hosts of the provider; a link to one of them counts as its name. */
  readonly hosts?: readonly string[];
}

/** Shorter names are matched only as written: without their spaces they would occur inside other words. */
const JOINED_CHARS_MIN = 6;

/** Shorter words of a name do not stand for it. */
const WORD_CHARS_MIN = 5;
/** Matches whole words regardless of case, width, emphasis, accents, look-alike letters and separators, and links to a provider's hosts. */
export function matchNames(names: readonly (string | ProviderName)[]): NameMatcher {
  const hosts = new Map<string, string>();
  const keys = new Map<string, string>();
  const alternatives: string[] = [];
  const given = names.map((one) => (typeof one === 'string' ? { name: one } : one));
  const single = distinctiveWords(given.map(({ name }) => name));
  for (const { name, hosts: own = [] } of given) {
    for (const host of own) hosts.set(host.toLowerCase(), name);
    for (const parts of ordersOf(name, single)) {
      keys.set(keyOf(parts.join('')), name);
      alternatives.push(alternative(parts));
    }
  }
  if (alternatives.length === 0) return noNames;
  alternatives.sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join('|')})(?![\\p{L}\\p{N}])`, 'u');
  return (source) => {
    const text = normaliseText(source).text;
    const found = pattern.exec(fold(text))?.[0];
    if (found !== undefined) return keys.get(keyOf(found));
    return wordIn(text, single) ?? (hosts.size === 0 ? undefined : hostIn(text, hosts));
  };
}

function partsOf(name: string): string[] {
  return fold(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');
}

/** The words of a name; also reversed if it has two words and one is distinctive. */
function ordersOf(name: string, single: ReadonlyMap<string, string>): string[][] {
  const parts = partsOf(name);
  if (parts.length === 0) return [];
  const isTurned = parts.length === 2 && parts.some((part) => single.has(keyOf(part)));
  return isTurned ? [parts, [...parts].reverse()] : [parts];
}

/** The lookup key of a name: its letters and digits, with `l` and `i` unified. */
function keyOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').replaceAll('l', 'i');
}

/** Words that only one name has and that mean nothing else: capitalised, they stand for the whole name. */
function distinctiveWords(names: readonly string[]): ReadonlyMap<string, string> {
  const owners = new Map<string, Set<string>>();
  for (const name of names) {
    const parts = partsOf(name);
    for (const part of parts.length > 1 ? parts : []) owners.set(part, (owners.get(part) ?? new Set()).add(name));
  }
  const words = new Map<string, string>();
  for (const [word, [name, ...others]] of owners) {
    if (word.length >= WORD_CHARS_MIN && others.length === 0 && !isCommonWord(word))
      words.set(keyOf(word), name as string);
  }
  return words;
}

/** Only capitalised words count: in lower case it may be another word, or part of a URL or file name. */
function wordIn(text: string, words: ReadonlyMap<string, string>): string | undefined {
  if (words.size === 0) return undefined;
  for (const [word] of text.matchAll(/(?<![\p{L}\p{N}./@_-])\p{Lu}[\p{L}\p{N}\p{M}]{2,60}(?![\p{L}\p{N}@_])/gu)) {
    const name = words.get(keyOf(fold(word)));
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The letters of a name with up to two other characters between them; for short names only between words. */
function alternative(parts: readonly string[]): string {
  const letters = [...parts.join('')];
  if (letters.length < JOINED_CHARS_MIN) return parts.join('[^\\p{L}\\p{N}]{1,3}');
  return letters.map((letter) => (/[il]/.test(letter) ? '[il]' : letter)).join('[^\\p{L}\\p{N}]{0,2}');
}

/** Finds a provider's host or a subdomain of it, in links or in text. */
function hostIn(text: string, hosts: ReadonlyMap<string, string>): string | undefined {
  for (const [host] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu)) {
    const labels = host.split('.');
    for (let from = 0; from < labels.length - 1; from++) {
      const name = hosts.get(labels.slice(from).join('.'));
      if (name !== undefined) return name;
    }
  }
  return undefined;
}

/** Letters of other scripts, and digits, that look like Latin letters. */
const LOOK_ALIKES = new Map(
  [...'аaеeоoрpсcхxуyіiјjѕsԁdһhкkмmтtвbнhοoαaεeιiκkνvρpτtυuχx0o1l3e4a5s'].reduce<[string, string][]>(
    (pairs, letter, at, all) => {
      if (at % 2 === 0) pairs.push([letter, all[at + 1] as string]);
      return pairs;
    },
    [],
  ),
);

/** Upper case first: it turns `ß` into two letters, and `ς` and `σ` into the same letter [V5]. */
function fold(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}*_`~]/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll(/\s+/g, ' ');
  return Array.from(plain, (letter) => LOOK_ALIKES.get(letter) ?? letter).join('');
}
