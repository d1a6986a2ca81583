import { arabicSet, foldArabic } from './arabic-letters.ts';
import {
  ALEF_NAMES,
  AMBIGUOUS_ARABIC,
  ARABIC_AFTER_TITLE,
  ARABIC_DEEDS,
  ARABIC_DIRECTIONS,
  ARABIC_FAMILIES,
  ARABIC_HINTS,
  ARABIC_NAMESAKES,
  ARABIC_RELATIONS,
  ARABIC_ROLES,
  ARABIC_SPEECH,
  ARABIC_TITLES,
  MORE_STRONG_ARABIC,
  MOSTLY_ARABIC_WORDS,
  WESTERN_ARABIC,
} from './arabic-words.ts';
import { ARABIC_WORD_LIST } from './lists/arabic-word-list.ts';
import { SCRIPT_LIST } from './lists/script-list.ts';
import { MORE_ARABIC_NAMES } from './more-names.ts';
import { NameFilter } from './name-filter.ts';
import { isArabicSound } from './phonetic-names.ts';
import type { Token } from './tokenise.ts';

/** `strong`: a name and no everyday word. `ambiguous`: both. `family`: by list or form. `sound`: foreign, by its sound. */
type Kind = 'strong' | 'ambiguous' | 'family' | 'sound' | 'unknown' | 'word';

interface Lists {
  readonly strong: ReadonlySet<string>;
  readonly family: ReadonlySet<string>;
  readonly words: NameFilter;
}

let lists: Lists | undefined;

/**
 * Index of the last word of the name that begins at an Arabic word; undefined: none does. Arabic has no capitals, so a word
 * that may be something else counts only beside another name or after words that announce one.
 */
export function arabicNameAt(tokens: readonly Token[], at: number, text: string): number | undefined {
  const whole = nameWord(tokens[at] as Token);
  const compound = compoundEnd(tokens, at, whole);
  const kind = kindOf(whole);
  // `لزينب`, `وفاطمة`: without a preposition or conjunction where the rest is a name.
  const rest = kind === 'word' || kind === 'unknown' || kind === 'sound' ? restOf(whole) : undefined;
  if ((kind === 'word' && rest === undefined && compound === undefined) || isNamesake(tokens, at)) return undefined;
  if (compound !== undefined) return compound;
  const place = { tokens, at, text };
  const last = nameOf(place, whole, kind);
  if (last !== undefined || rest === undefined) return last;
  return nameOf({ ...place, isPrefixed: true }, rest, kindOf(rest));
}

/** A word of a text; `isPrefixed`: it has a preposition or conjunction before it. */
interface Place {
  readonly tokens: readonly Token[];
  readonly at: number;
  readonly text: string;
  readonly isPrefixed?: boolean;
}

function nameOf(place: Place, word: string, kind: Kind): number | undefined {
  if (kind === 'word') return undefined;
  const { tokens, at } = place;
  const last = familyEnd(tokens, at);
  if (kind === 'strong' || isAnnounced(place, kind)) return last ?? at;
  if (kind === 'ambiguous') {
    const isMostlyWord = MOSTLY_ARABIC_WORDS.has(word);
    if (isBesideName(tokens, at, isMostlyWord)) return last ?? at + 1;
    // Only what is definite has a relative clause with a pronoun: a name, or a word with an article.
    if (/^(?:الذي|التي)$/.test(foldArabic(tokens[at + 1]?.text ?? ''))) return at;
    return (isMostlyWord ? isSpeaker(place) : isHinted(place)) ? (last ?? at) : undefined;
  }
  if (kind === 'sound' && isLongSound(word) && (isHintedSound(place) || isPairOfUnknown(tokens, at))) return last ?? at;
  if (kind === 'sound' && isBesideName(tokens, at, true)) return last ?? at;
  if (kind === 'unknown' && soundsStrange(word) && (isPairOfUnknown(tokens, at) || isHintedSound(place)))
    return last ?? at;
  return undefined;
}

/** Whether a name follows that makes this word one too. */
function isBesideName(tokens: readonly Token[], at: number, needsList: boolean): boolean {
  const next = tokens[at + 1];
  if (!next?.joined || next.script !== 'arabic') return false;
  const word = nameWord(next);
  if (/^(?:بن|ابن|بنت)$/.test(word)) return tokens[at + 2]?.joined === true;
  if (/^(?:عبد|اب[ويا])$/.test(word)) return compoundEnd(tokens, at + 1, word) !== undefined;
  const kind = kindOf(word);
  if (kind === 'strong') return true;
  if (kind === 'ambiguous') return !MOSTLY_ARABIC_WORDS.has(word) || !needsList;
  if (!needsList && /^ال\p{L}{3,}ي$/u.test(word) && !known().words.has(word)) return true;
  if (kind === 'family') return known().family.has(word) ? !(needsList && known().words.has(word)) : !needsList;
  return kind === 'sound' && isLongSound(word);
}

function isLongSound(word: string): boolean {
  return WESTERN_ARABIC.has(word) || word.replace(/[اويىهء]/g, '').length >= 4;
}

/** `عبد الرحمن`, `أبو محمود`, `أم كريم`, `ابن سينا`, `آل ثاني`: one name in two words. */
function compoundEnd(tokens: readonly Token[], at: number, whole: string): number | undefined {
  const next = tokens[at + 1];
  if (!next?.joined || next.script !== 'arabic') return undefined;
  const second = nameWord(next);
  const bare = /^[وفبلك](?=عبد$|اب[ويا]$|ام$)/.test(whole) ? whole.slice(1) : whole;
  if (bare === 'عبد' && DIVINE.test(second)) return familyEnd(tokens, at + 1) ?? at + 1;
  if (/^اب[ويا]$/.test(bare) || bare === 'ام') {
    if (/^(?:ظبي|دبي|الهول|قير)$/.test(second)) return undefined;
    const kind = kindOf(second);
    if (kind === 'strong' || (kind === 'ambiguous' && bare !== 'ابي')) return familyEnd(tokens, at + 1) ?? at + 1;
  }
  return undefined;
}

const DIVINE = /^(?:الله|ربه|رب|ال\p{L}{2,})$/u;

/** Where the words after a given name that belong to it end; undefined: none does. */
function familyEnd(tokens: readonly Token[], at: number): number | undefined {
  let end: number | undefined;
  for (let i = at + 1; i < tokens.length && i <= at + 4; i++) {
    const token = tokens[i] as Token;
    if (!token.joined || token.script !== 'arabic') break;
    const word = nameWord(token);
    if (LINKS.test(word)) {
      const next = tokens[i + 1];
      if (!next?.joined || next.script !== 'arabic') break;
      const kind = kindOf(nameWord(next));
      if (kind === 'word' && !/^ال/.test(nameWord(next))) break;
      end = i + 1;
      i++;
      continue;
    }
    const kind = kindOf(word);
    if (kind === 'word' || (kind === 'unknown' && !looksForeign(word))) break;
    end = i;
  }
  return end;
}

const LINKS = /^(?:بن|ابن|بنت|ابنه|اب[ويا]|ام|ال|عبد|بو|ايت|فان|دي|دن|دو|لو|الدين)$/;

/** A word that no rule of Arabic made: it has no article and no usual ending of verbs and nouns. */
function looksForeign(word: string): boolean {
  return (
    word.length >= 4 &&
    !/^(?:ال|لل|بال|كال|وال|فال|است|ست|مت|سي|لل)|(?:ها|هم|هن|نا|كم|ات|ون|تين|تان|وا|ته|يه|ه|ا)$/.test(word)
  );
}

/** A word with vowels as foreign names are written, and none of the forms of Arabic verbs, plurals and infinitives. */
function soundsStrange(word: string): boolean {
  if (word.length < 4 || NATIVE_FORM.test(word) || NATIVE_ENDS.test(word) || NATIVE_PLURAL.test(word)) return false;
  return longVowels(word) >= (word.endsWith('ا') ? 3 : 2);
}

const NATIVE_ENDS =
  /^(?:ال|لل|[بك]ال|و|فال|س[يتن]|ي.{3}$|ي[تس]|لا)|(?:هما|هم|ها|هن|نا|كم|وا|يا|تين|ته|ان|ين|اء|ائي|تي|ني)$/;
const NATIVE_PLURAL = /^(?:.{1,2}ا.ي?.|[متا].{1,2}ا.{1,2}|.و.ي.|.{2}[اوي].|.ا..|ا.ت.ا.)$/;

/** After a title, a role or a relative, or as the one who did something to the speaker. */
function isAnnounced({ tokens, at, text }: Place, kind: Kind): boolean {
  const before = tokens[at - 1];
  if (before?.script !== 'arabic') return false;
  const gap = text.slice(before.end, (tokens[at] as Token).start);
  const word = nameWord(tokens[at] as Token);
  const cue = cueOf(foldArabic(before.text));
  if (/^(?:، ?| \()$/.test(gap)) return ARABIC_RELATIONS.has(cue) && kind !== 'unknown';
  if (!/^\.? $/.test(gap)) return false;
  if (ARABIC_TITLES.has(cue)) return !ARABIC_AFTER_TITLE.has(word) && (kind !== 'unknown' || !/^ال/.test(word));
  if (gap !== ' ') return false;
  if (ARABIC_RELATIONS.has(cue) || ARABIC_DEEDS.has(cue)) return kind !== 'unknown' || looksForeign(word);
  if (!ARABIC_ROLES.has(cue)) return false;
  if (kind === 'family') return known().family.has(word) && !known().words.has(word);
  if (kind === 'unknown') return looksForeign(word) && isPairOfUnknown(tokens, at);
  return !isPraise(tokens, at);
}

/** Two words after a role that are no words of Arabic: `الموظفة كريستين ديسميت`. */
function isPairOfUnknown(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  if (!next?.joined || next.script !== 'arabic') return false;
  const word = nameWord(next);
  const kind = kindOf(word);
  return (
    kind === 'family' ||
    kind === 'sound' ||
    (kind === 'unknown' && looksForeign(word) && !/^(?:و|ي.{2,4}$|يت|يس)/.test(word))
  );
}

/** `الموظف كريم في تعامله`: the word describes and does not name. */
function isPraise(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  if (!MOSTLY_ARABIC_WORDS.has(nameWord(tokens[at] as Token)) && !/^كريم$/.test((tokens[at] as Token).text))
    return false;
  return (
    next === undefined ||
    (next.joined && /^(?:في|جدا|لكن|مع|عن|من|لا|لكنه|لمده|على|إلى|بما|و\p{L}+|ل\p{L}+|ب\p{L}+)$/u.test(next.text))
  );
}

/** Words before or after that persons have beside them. */
function isHinted(place: Place): boolean {
  const { tokens, at, text, isPrefixed } = place;
  const [before, next] = [tokens[at - 1], tokens[at + 1]];
  if (isPrefixed) return HINTED_PREFIX.has(foldArabic(before?.text ?? '')) || isSpeaker(place);
  if (next?.joined === true && ARABIC_SPEECH.has(foldArabic(next.text))) return true;
  if (before?.script !== 'arabic' || text.slice(before.end, (tokens[at] as Token).start) !== ' ') return false;
  const cue = cueOf(foldArabic(before.text));
  if (ARABIC_SPEECH.has(cue)) return true;
  // `شهادة حسن السلوك`: a noun and what it belongs to.
  const isConstruct =
    next?.joined === true &&
    /^ال/.test(next.text) &&
    kindOf(nameWord(next)) === 'word' &&
    !/^(?:الذي|التي)$/.test(next.text);
  return !isConstruct && ARABIC_HINTS.has(cue);
}

/** The same for a foreign name, which is a place after words of direction. */
function isHintedSound(place: Place): boolean {
  const before = place.tokens[place.at - 1];
  return isHinted(place) && !(before && ARABIC_DIRECTIONS.has(cueOf(foldArabic(before.text))));
}

/** Before a preposition that a person follows: `شكرا لهالة`, `اتصلت بكريم`. */
const HINTED_PREFIX: ReadonlySet<string> = arabicSet(
  'شكرا اتصلت اتصل قلت كتبت سلمت دفعت قيل وفقا التقيت مررت استعنت الملف الأوراق الاستمارة الوثائق المفتاح البطاقة الشهادة المال الفضل الشكر',
);

/** `قال كريم إن`, `كريم قال`: the word says something. */
function isSpeaker({ tokens, at, text, isPrefixed }: Place): boolean {
  const [before, next] = [tokens[at - 1], tokens[at + 1]];
  if (isPrefixed) return false;
  const after = next?.joined ? foldArabic(next.text) : '';
  if (before === undefined || !(tokens[at] as Token).joined) return TALKS.test(after);
  if (text.slice(before.end, (tokens[at] as Token).start) !== ' ') return false;
  return TALKS.test(cueOf(foldArabic(before.text))) && /^(?:ان|انه|انها|بان|لي|لنا|عن|)$/.test(after);
}

const TALKS =
  /^(?:قال|قالت|يقول|تقول|اكد|اكدت|ذكر|ذكرت|ذكره|ذكرته|اوضح|اوضحت|اخبرت?ني|اخبرت?نا|اشتكي|اشتكت|اضاف|اضافت|شرح|شرحت)$/;

/** A cue without the conjunction or preposition before it. */
function cueOf(word: string): string {
  if (isCue(word)) return word;
  const bare = /^[وفلبك]/.test(word) ? word.slice(1) : word;
  if (isCue(bare)) return bare;
  const article = /^(?:لل|بال|وال|فال|كال)/.exec(word)?.[0];
  return article ? `ال${word.slice(article.length)}` : word;
}

function isCue(word: string): boolean {
  return (
    ARABIC_TITLES.has(word) ||
    ARABIC_RELATIONS.has(word) ||
    ARABIC_ROLES.has(word) ||
    ARABIC_DEEDS.has(word) ||
    ARABIC_SPEECH.has(word) ||
    ARABIC_HINTS.has(word)
  );
}

/** A street, a school or a month that is named so. */
function isNamesake(tokens: readonly Token[], at: number): boolean {
  for (let i = at - 1; i >= Math.max(0, at - 3); i--) {
    if (!(tokens[i + 1] as Token).joined) return false;
    const word = foldArabic((tokens[i] as Token).text);
    const bare = /^(?:[وفلبك]|لل|بال|وال|فال)/.exec(word)?.[0].length ?? 0;
    if (ARABIC_NAMESAKES.has(word) || ARABIC_NAMESAKES.has(word.slice(bare))) return true;
    const kind = kindOf(word);
    if (kind !== 'strong' && kind !== 'ambiguous' && !LINKS.test(word)) return false;
  }
  return false;
}

/** The word without the letter before it, where the rest is a name and the whole is no word. */
function restOf(word: string): string | undefined {
  if (!/^[وفلبك]/.test(word) || word.length < 4 || known().words.has(word)) return undefined;
  const kind = kindOf(word.slice(1));
  return kind === 'strong' || kind === 'ambiguous' || kind === 'sound' ? word.slice(1) : undefined;
}

/** A word for the look-up of names; empty where its last letter says that it is another word. */
function nameWord({ text }: Token): string {
  const word = foldArabic(text);
  if (word === 'علي') return text.endsWith('ى') ? '' : word;
  if (/^(?:ناديه|ثريه)$/.test(word) && text.endsWith('ه')) return '';
  return ALEF_NAMES.has(word) && text.endsWith('ي') ? '' : word;
}

function kindOf(word: string): Kind {
  const { strong, family } = known();
  if (AMBIGUOUS_ARABIC.has(word) || MOSTLY_ARABIC_WORDS.has(word)) return 'ambiguous';
  if (strong.has(word)) return 'strong';
  if (family.has(word)) return 'family';
  if (WESTERN_ARABIC.has(word)) return 'sound';
  if (word.length < 3 || known().words.has(word)) return 'word';
  if (
    word.length > 3 &&
    !/^(?:ال|لل|بال|وال)/.test(word) &&
    longVowels(word) >= 2 &&
    !NATIVE_FORM.test(word) &&
    isArabicSound(word)
  )
    return 'sound';
  if (isKnownWord(word)) return 'word';
  return FAMILY_FORM.test(word) ? 'family' : 'unknown';
}

/** Participles, infinitives and plurals. */
const NATIVE_FORM = /^(?:مت|است|ان.{2}ا.$|ت..ي.$|م.{2}ي.ه$)|(?:ات|يه|ه|ون)$/;

/** `الحسيني`, `بنجلون`, `بوعزة`, `أيتحمو`. */
const FAMILY_FORM =
  /^(?:ال\p{L}{3,}(?:ي|اوي|اني)|بن\p{L}{3,}|بو\p{L}{3,}|بل\p{L}{4,}|\p{L}{3,}(?:اوي|يان|زاده|اوغلو|وف|وفا|يف|يفا|ينكو|تشوك|سكي|فيتش))$/u;

function longVowels(word: string): number {
  let count = 0;
  for (let i = 1; i < word.length; i++) if ('اوي'.includes(word.charAt(i))) count++;
  return count;
}

const BEFORE = /^(?:[وف]?(?:بال|كال|لل|ال)|[وف]?[بلكس]|[وف])/;
const AFTER = /(?:ها|هم|هن|نا|كم|ني|ته|تها|تي|وا|ون|ين|ان|ات|تا|يه|[هكاتيم])$/;

/** Whether a word is common, with or without what Arabic joins to it. */
function isKnownWord(word: string): boolean {
  const { words } = known();
  if (word.length < 3 || words.has(word)) return true;
  const start = BEFORE.exec(word)?.[0].length ?? 0;
  const stem = word.slice(start);
  if (start > 0 && stem.length > 2 && words.has(stem)) return true;
  for (const base of start > 0 ? [word, stem] : [word]) {
    const end = AFTER.exec(base)?.[0].length ?? 0;
    const bare = base.slice(0, base.length - end);
    if (end > 0 && bare.length > 2 && (words.has(bare) || words.has(`${bare}ه`) || words.has(`ال${bare}`))) return true;
  }
  return words.has(`ال${word}`) || words.has(`ال${stem}`);
}

function known(): Lists {
  lists ??= decode();
  return lists;
}

function decode(): Lists {
  const [, , given = '', family = ''] = SCRIPT_LIST.split('\n');
  return {
    strong: new Set(
      [...given.split(' '), ...MORE_STRONG_ARABIC, ...MORE_ARABIC_NAMES]
        .filter((name) => name.length > 2 && !name.startsWith('ال'))
        .concat('طه'),
    ),
    family: new Set([...family.split(' '), ...ARABIC_FAMILIES]),
    words: new NameFilter(ARABIC_WORD_LIST),
  };
}
