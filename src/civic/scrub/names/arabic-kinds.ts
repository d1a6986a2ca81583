import { foldArabic } from './arabic-letters.ts';
import {
  ALEF_NAMES,
  AMBIGUOUS_ARABIC,
  ARABIC_FAMILIES,
  MORE_STRONG_ARABIC,
  MOSTLY_ARABIC_WORDS,
  WESTERN_ARABIC,
} from './arabic-words.ts';
import { LetterModel } from './letter-model.ts';
import { ARABIC_LETTER_WEIGHTS } from './lists/arabic-letters-list.ts';
import { ARABIC_WORD_LIST } from './lists/arabic-word-list.ts';
import { SCRIPT_LIST } from './lists/script-list.ts';
import { MORE_ARABIC_NAMES } from './more-names.ts';
import { NameFilter } from './name-filter.ts';
import { isArabicSound } from './phonetic-names.ts';
import type { Token } from './tokenise.ts';

/**
 * `strong`: a name and no everyday word. `ambiguous`: both. `weak`: a word that is sometimes a name. `family`: by list or form. `sound`:
 * foreign, by its sound.
 */
export type Kind = 'strong' | 'ambiguous' | 'weak' | 'family' | 'sound' | 'unknown' | 'word';

interface Lists {
  readonly strong: ReadonlySet<string>;
  readonly family: ReadonlySet<string>;
  readonly weak: ReadonlySet<string>;
  readonly words: NameFilter;
  readonly letters: LetterModel;
}

let lists: Lists | undefined;

/** A word for name lookups; empty if its last letter shows that it is another word. */
export function nameWord({ text }: Token): string {
  // The ending of an adverb or object, which names do not take in reports.
  if (text.includes('\u064b')) return '';
  const word = foldArabic(text);
  if (word === 'علي') return text.endsWith('ى') ? '' : word;
  if (/^(?:ناديه|ثريه)$/.test(word) && text.endsWith('ه')) return '';
  return ALEF_NAMES.has(word) && text.endsWith('ي') ? '' : word;
}

export function kindOf(word: string): Kind {
  const before = kinds.get(word);
  if (before !== undefined) return before;
  const kind = findKind(word);
  // A cache: a text looks up each word many times.
  if (kinds.size >= KINDS_KEPT) kinds.clear();
  kinds.set(word, kind);
  return kind;
}

const KINDS_KEPT = 1000;
const kinds = new Map<string, Kind>();

function findKind(word: string): Kind {
  const { strong, family, weak } = known();
  if (AMBIGUOUS_ARABIC.has(word) || MOSTLY_ARABIC_WORDS.has(word)) return 'ambiguous';
  if (strong.has(word)) return 'strong';
  if (family.has(word)) return 'family';
  if (WESTERN_ARABIC.has(word)) return 'sound';
  if (weak.has(word)) return 'weak';
  if (word.length < 3 || known().words.has(word)) return 'word';
  if (
    word.length > 3 &&
    !/^(?:ال|لل|بال|وال)/.test(word) &&
    longVowels(word) >= 2 &&
    !NATIVE_FORM.test(word) &&
    !isInflected(word) &&
    isArabicSound(word)
  )
    return 'sound';
  // `العنود`, `الجاسم`: a given name with an article.
  if (isGivenWithArticle(word)) return 'family';
  // `بوعنان`: not the preposition and a word.
  if (/^ب[ون]\p{L}{4,}$/u.test(word) && !known().words.has(word.slice(1))) return 'family';
  if (isKnownWord(word)) return 'word';
  return FAMILY_FORM.test(word) ? 'family' : 'unknown';
}

/** Participles, infinitives and plurals. */
export const NATIVE_FORM = /^(?:مت|است|ان.{2}ا.$|ت..ي.$|م.{2}ي.ه$)|(?:ات|يه|ه|ون)$/;

/** `الحسيني`, `بنجلون`, `بوعزة`, `أيتحمو`. */
const FAMILY_FORM =
  /^(?:ال\p{L}{3,}(?:ي|اوي|اني)|بن\p{L}{3,}|بو\p{L}{3,}|بل\p{L}{4,}|با\p{L}{3,5}|\p{L}{3,}(?:اوي|يان|زاده|اوغلو|وف|وفا|يف|يفا|ينكو|تشوك|سكي|فيتش))$/u;

export function longVowels(word: string): number {
  let count = 0;
  for (let i = 1; i < word.length; i++) if ('اوي'.includes(word.charAt(i))) count++;
  return count;
}

const BEFORE = /^(?:[وف]?(?:بال|كال|لل|ال)|[وف]?[بلكس]|[وف])/;
const AFTER =
  /(?:ها|هم|هن|نا|كم|ني|ته|تها|تي|تك|تنا|تهم|تكم|اتك|اتكم|اته|اتها|اتي|اتنا|اتهم|وا|ون|ين|ان|ات|يه|[هكاتيم])$/;
/** Endings that many foreign names have too: the rest must be long enough. */
const LOOSE_END = /^[كتما]$/;

/** Whether a word is common, with or without Arabic affixes. */
export function isKnownWord(word: string): boolean {
  const { words } = known();
  if (word.length < 3 || words.has(word)) return true;
  const start = BEFORE.exec(word)?.[0].length ?? 0;
  const stem = word.slice(start);
  if (start > 0 && stem.length > 2 && isBase(stem)) return true;
  for (const base of start > 0 ? [word, stem] : [word]) {
    const end = AFTER.exec(base)?.[0] ?? '';
    const bare = base.slice(0, base.length - end.length);
    if (end === '' || bare.length < (LOOSE_END.test(end) ? 4 : 3)) continue;
    if (isBase(bare) || words.has(`${bare}ه`) || words.has(`ال${bare}`)) return true;
  }
  return words.has(`ال${word}`) || words.has(`ال${stem}`);
}

/** `جاران`, `جارتي`: an ordinary word in another number or with a pronoun. */
function isInflected(word: string): boolean {
  if (/^.{4,}ا$/.test(word) && isBase(word.slice(0, -1))) return true;
  const bare = /^(.{3,})(?:ان|ين|ون|تي|تنا|نا|ها|هم)$/.exec(word)?.[1];
  return bare !== undefined && (known().words.has(bare) || known().words.has(`${bare}ه`));
}

/** Infinitives: `اطلاع`, `انتظار`. */
const NATIVE_NOUN = /^ا.{2,3}ا.$/;

function isGivenWithArticle(word: string): boolean {
  const bare = word.slice(2);
  if (!word.startsWith('ال') || bare.length < 4 || bare.endsWith('ه') || NATIVE_NOUN.test(bare)) return false;
  return known().strong.has(bare) && !AMBIGUOUS_ARABIC.has(bare) && !known().words.has(word);
}

/** A listed family name that is no ordinary word. Its form is not decomposed: `مرادي` does not come from `مراد`. */
export function isSureFamily(word: string): boolean {
  const bare = word.replace(/^ال/, '');
  const isListed = known().family.has(word) || isGivenWithArticle(word);
  return isListed && !known().words.has(word) && !isBase(bare) && !AMBIGUOUS_ARABIC.has(bare);
}

/** A word, or a name that is also a word: `صالحا` is no name. */
function isBase(word: string): boolean {
  return known().words.has(word) || MOSTLY_ARABIC_WORDS.has(word) || known().weak.has(word);
}

export function known(): Lists {
  lists ??= decode();
  return lists;
}

function decode(): Lists {
  const [, , given = '', family = '', weak = ''] = SCRIPT_LIST.split('\n');
  const listed = family.split(' ');
  return {
    strong: new Set(
      [...given.split(' '), ...MORE_STRONG_ARABIC, ...MORE_ARABIC_NAMES]
        .filter((name) => name.length > 2 && !name.startsWith('ال'))
        .concat('طه'),
    ),
    family: new Set([
      ...listed.flatMap((name) => (name.startsWith('ال') ? [name] : [name, `ال${name}`])),
      ...ARABIC_FAMILIES,
    ]),
    weak: new Set(weak.split(' ')),
    words: new NameFilter(ARABIC_WORD_LIST),
    letters: new LetterModel(ARABIC_LETTER_WEIGHTS),
  };
}
