import { type Announcement, isDeed, isLikelyName, isVerb, likelihood } from './arabic-evidence.ts';
import { isKnownWord, type Kind, kindOf, known, longVowels, NATIVE_FORM, nameWord } from './arabic-kinds.ts';
import { arabicSet, foldArabic } from './arabic-letters.ts';
import {
  ARABIC_AFTER_TITLE,
  ARABIC_DEEDS,
  ARABIC_DIRECTIONS,
  ARABIC_HINTS,
  ARABIC_LABELS,
  ARABIC_NAMESAKES,
  ARABIC_RELATIONS,
  ARABIC_ROLES,
  ARABIC_SPEECH,
  ARABIC_TITLES,
  MOSTLY_ARABIC_WORDS,
  WESTERN_ARABIC,
} from './arabic-words.ts';
import type { Token } from './tokenise.ts';

/**
 * Index of the last word of the name that begins at an Arabic word; undefined if there is none. Arabic has no capitals, so an ambiguous
 * word counts only next to another name or after words that announce one.
 */
export function arabicNameAt(tokens: readonly Token[], at: number, text: string): number | undefined {
  const whole = nameWord(tokens[at] as Token);
  const compound = compoundEnd(tokens, at, whole);
  const kind = kindOf(whole);
  // `لزينب`, `وفاطمة`: strip a preposition or conjunction if the rest is a name.
  const rest = kind === 'word' || kind === 'unknown' || kind === 'sound' ? restOf(whole) : undefined;
  if (kind === 'word' && !isNamesake(tokens, at) && (isAddressed(tokens, at) || isAfterIndefinite(tokens, at, text)))
    return familyEnd(tokens, at) ?? at;
  if ((kind === 'word' && rest === undefined && compound === undefined) || isNamesake(tokens, at)) return undefined;
  if (compound !== undefined) return compound;
  if (isGreeting(tokens, at)) return undefined;
  const place = { tokens, at, text };
  const last = nameOf(place, whole, kind);
  if (last !== undefined || rest === undefined) return last;
  return nameOf({ ...place, isPrefixed: true }, rest, kindOf(rest));
}

/** `السيدة كلاس تتابع`, `الآنسة قسطنطين`, `السيدة الزموري`: words that can only be a name in this place. */
function isAddressed(tokens: readonly Token[], at: number): boolean {
  const [before, token, next] = [tokens[at - 1], tokens[at] as Token, tokens[at + 1]];
  if (!before || !token.joined || token.text.length < 4) return false;
  const title = cueOf(foldArabic(before.text));
  const word = foldArabic(token.text);
  if (ARABIC_AFTER_TITLE.has(word) || ARABIC_ROLES.has(`ال${word}`) || ARABIC_ROLES.has(word)) return false;
  if (/^ال\p{L}{3,}ي$/u.test(word)) return isForWoman(title) && !isPlain(word);
  if (!/^(?:السيده?|الانسه|مدام|الحاجه?)$/.test(title) || /^(?:ال|لل|بال|[وفبل])|ه$/.test(word)) return false;
  if (isVerb(word) || AFTER_TITLED.test(word)) return false;
  return !isPlain(word) || (next?.joined === true && isVerb(foldArabic(next.text)));
}

/** `سمراء الزموري`: an adjective would agree with the preceding word, which has no article; so this is no adjective. */
function isAfterIndefinite(tokens: readonly Token[], at: number, text: string): boolean {
  const word = foldArabic((tokens[at] as Token).text);
  if (!/^ال\p{L}{3,}ي$/u.test(word) || /^ال.{1,2}ا.ي$/.test(word) || isPlain(word)) return false;
  const before = tokens[at - 1];
  if (ARABIC_NAMESAKES.has(foldArabic(tokens[at - 2]?.text ?? ''))) return false;
  return (
    before !== undefined && !isVerb(foldArabic(before.text)) && announcement({ tokens, at, text }) === 'indefinite'
  );
}

const AFTER_TITLED =
  /^(?:هناك|لدينا|عندنا|حيث|عندما|ايضا|دائما|امس|اليوم|معي|معنا|عني|عنا|مني|منا|الي|الينا|علي|علينا|عند|لدي|مع|من|عن|في)$/;

function isPlain(word: string): boolean {
  return known().words.has(word) || known().words.has(word.replace(/^ال/, ''));
}

/** A woman's title or role: an adjective after it would have a feminine ending. */
function isForWoman(cue: string): boolean {
  return cue.endsWith('ه') && cue !== 'المدرسه' && (ARABIC_TITLES.has(cue) || ARABIC_ROLES.has(cue));
}

/** `محمد رسول الله`, `عيد سعيد`: set phrases that name no person of the report. */
function isGreeting(tokens: readonly Token[], at: number): boolean {
  const [word, next] = [foldArabic((tokens[at] as Token).text), tokens[at + 1]];
  if (!next?.joined) return false;
  return /^(?:محمد (?:رسول|صلي)|عيد (?:سعيد|مبارك))$/.test(`${word} ${foldArabic(next.text)}`);
}

/** A word of a text; `isPrefixed`: a preposition or conjunction is attached to it. */
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
  if (kind === 'strong' || (kind !== 'weak' && isAnnounced(place, kind))) return last ?? at;
  if (kind === 'ambiguous') {
    const isMostlyWord = MOSTLY_ARABIC_WORDS.has(word);
    if (isBesideName(tokens, at, isMostlyWord)) return last ?? at + 1;
    // Only a definite word has a relative clause with a pronoun: a name, or a word with an article.
    if (/^(?:الذي|التي)$/.test(foldArabic(tokens[at + 1]?.text ?? ''))) return at;
    if (isMostlyWord ? isSpeaker(place) : isHinted(place) || isSubject(place)) return last ?? at;
    return isBeforeLikely(tokens, at) ? (last ?? at + 1) : undefined;
  }
  if (kind === 'sound' && isLongSound(word) && (isHintedSound(place) || isPairOfUnknown(tokens, at))) return last ?? at;
  if (kind === 'sound' && isBesideName(tokens, at, true)) return last ?? at;
  if (!isCue(word) && isLikelyName(tokens, at, word, announcement(place))) return last ?? at;
  if (kind === 'unknown' && soundsStrange(word) && (isPairOfUnknown(tokens, at) || isHintedSound(place)))
    return last ?? at;
  return undefined;
}

/** `تولى فادي`: after a verb, unless a word with an article follows that it could belong to. */
function isSubject(place: Place): boolean {
  const next = place.tokens[place.at + 1];
  return announcement(place) === 'speech' && !(next?.joined && /^ال/.test(next.text));
}

/** `عادل شلغين`: before a word that looks like a name and nothing else. */
function isBeforeLikely(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  if (!next?.joined || next.script !== 'arabic') return false;
  const word = nameWord(next);
  const kind = kindOf(word);
  return (kind === 'unknown' || kind === 'sound' || kind === 'family') && likelihood(word, kind) >= LIKELY;
}

const LIKELY = 2;

/** Whether the next word is a name that makes this one a name too. */
function isBesideName(tokens: readonly Token[], at: number, needsList: boolean): boolean {
  const next = tokens[at + 1];
  if (!next?.joined || next.script !== 'arabic') return false;
  const word = nameWord(next);
  if (/^(?:بن|ابن|بنت)$/.test(word)) return tokens[at + 2]?.joined === true;
  if (/^(?:عبد|اب[ويا])$/.test(word)) return compoundEnd(tokens, at + 1, word) !== undefined;
  const kind = kindOf(word);
  if (kind === 'strong') return true;
  if (kind === 'ambiguous') return !MOSTLY_ARABIC_WORDS.has(word) || !needsList;
  if (/^ال\p{L}{3,}ي$/u.test(word) && !(needsList ? isKnownWord(word) : known().words.has(word))) return true;
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
  if (/^(?:فان|دي|دو|دير|ديل)$/.test(whole) && isLikelyAfterParticle(tokens, at))
    return familyEnd(tokens, at) ?? at + 1;
  if (second === 'الدين' && BEFORE_FAITH.has(whole)) return familyEnd(tokens, at + 1) ?? at + 1;
  const bare = /^[وفبلك](?=عبد$|اب[ويا]$|ام$)/.test(whole) ? whole.slice(1) : whole;
  if (bare === 'عبد' && DIVINE.test(second)) return familyEnd(tokens, at + 1) ?? at + 1;
  if (/^اب[ويا]$/.test(bare) || bare === 'ام') {
    if (/^(?:ظبي|دبي|الهول|قير)$/.test(second)) return undefined;
    const kind = kindOf(second);
    if (bare !== 'ام' && kind !== 'word' && kind !== 'ambiguous') return familyEnd(tokens, at + 1) ?? at + 1;
    if (kind === 'strong' || (kind === 'ambiguous' && bare !== 'ابي')) return familyEnd(tokens, at + 1) ?? at + 1;
  }
  return undefined;
}

/** `فان دن بروك`, `دي سميدت`: a foreign particle, and a word that is not Arabic. */
function isLikelyAfterParticle(tokens: readonly Token[], at: number): boolean {
  const skip = /^(?:دن|دير|دي|لا)$/.test(tokens[at + 1]?.text ?? '') ? 2 : 1;
  const next = tokens[at + skip];
  if (!next?.joined || next.script !== 'arabic') return false;
  const word = nameWord(next);
  const before = tokens[at - 1];
  if (before && ARABIC_TITLES.has(cueOf(foldArabic(before.text)))) return !word.startsWith('ال');
  const kind = kindOf(word);
  return (kind === 'family' || kind === 'sound' || kind === 'unknown') && likelihood(word, kind) > 0;
}

/** `نور الدين`, `علاء الدين`: first parts of such names. */
const BEFORE_FAITH: ReadonlySet<string> = arabicSet(
  'نور شمس سيف بدر علاء عز صلاح جمال كمال محي محيي نصر فخر زين بهاء تقي ضياء عماد حسام شهاب سعد تاج قطب ناصر خير نجم سراج شرف برهان جلال معز حسن ركن',
);

const DIVINE = /^(?:الله|ربه|رب|ال\p{L}{2,})$/u;

/** Index of the last family-name word after a given name; undefined if there is none. */
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
    if (kind === 'word' || kind === 'weak' || (kind === 'unknown' && !looksForeign(word))) break;
    end = i;
  }
  return end;
}

const LINKS = /^(?:بن|ابن|بنت|ابنه|اب[ويا]|ام|ال|عبد|بو|ايت|فان|دي|دن|دو|لو|الدين)$/;

/** A word that is not formed by Arabic rules: no article, no usual ending of verbs and nouns. */
function looksForeign(word: string): boolean {
  return (
    word.length >= 4 &&
    !/^(?:ال|لل|بال|كال|وال|فال|است|ست|مت|سي|لل)|(?:ها|هم|هن|نا|كم|ات|ون|تين|تان|وا|ته|يه|ه|ا)$/.test(word)
  );
}

/** A word with vowels as in foreign names, and no form of Arabic verbs, plurals and infinitives. */
function soundsStrange(word: string): boolean {
  if (word.length < 4 || NATIVE_FORM.test(word) || NATIVE_ENDS.test(word) || NATIVE_PLURAL.test(word)) return false;
  return longVowels(word) >= (word.endsWith('ا') ? 3 : 2);
}

const NATIVE_ENDS =
  /^(?:ال|لل|[بك]ال|و|فال|س[يتن]|ي.{3}$|ي[تس]|لا)|(?:هما|هم|ها|هن|نا|كم|وا|يا|تين|ته|ان|ين|اء|ائي|تي|ني)$/;
const NATIVE_PLURAL = /^(?:.{1,2}ا.ي?.|[متا].{1,2}ا.{1,2}|.و.ي.|.{2}[اوي].|.ا..|ا.ت.ا.)$/;

/** After a title, a role or a relative, or as the subject of a verb with the speaker as object. */
function isAnnounced({ tokens, at, text }: Place, kind: Kind): boolean {
  const before = tokens[at - 1];
  if (before?.script !== 'arabic') return false;
  const gap = text.slice(before.end, (tokens[at] as Token).start);
  const word = nameWord(tokens[at] as Token);
  const cue = cueOf(foldArabic(before.text));
  if (/^(?:، ?| \()$/.test(gap)) return ARABIC_RELATIONS.has(cue) && kind !== 'unknown';
  if (!/^\.? $/.test(gap)) return false;
  if (CITIZEN.test(cue) && (kind === 'unknown' || isKnownWord(word))) return false;
  if (ARABIC_TITLES.has(cue)) return !ARABIC_AFTER_TITLE.has(word) && (kind !== 'unknown' || !/^ال/.test(word));
  if (gap !== ' ') return false;
  if (ARABIC_RELATIONS.has(cue) || ARABIC_DEEDS.has(cue)) return kind !== 'unknown';
  if (!ARABIC_ROLES.has(cue)) return false;
  if (kind === 'family') return known().family.has(word) && !known().words.has(word);
  if (kind === 'unknown') return looksForeign(word) && isPairOfUnknown(tokens, at);
  return !isPraise(tokens, at);
}

/** `المواطن المغربي`: a nationality may follow. */
const CITIZEN = /^(?:المواطنه?|الشابه?|الطفله?)$/;

/** What the preceding word says about this one. */
function announcement({ tokens, at, text, isPrefixed }: Place): Announcement {
  const before = tokens[at - 1];
  const gap = before ? text.slice(before.end, (tokens[at] as Token).start) : '';
  if (isPrefixed) return 'direction';
  if (before?.script !== 'arabic') return 'start';
  const word = foldArabic(before.text);
  const cue = cueOf(word);
  if (/^ ?: ?$/.test(gap) && ARABIC_LABELS.has(word)) return 'title';
  if (/^،\s?$/.test(gap) && /^(?:التحيه|التحيات|تحياتي|الاحترام|شكرا|الشكر|التقدير)$/.test(word)) return 'relation';
  if (!/^(?:،? ?| [«"'(])$/.test(gap)) return 'start';
  if (/،/.test(gap)) return ARABIC_RELATIONS.has(cue) || ARABIC_ROLES.has(cue) ? 'hint' : 'none';
  if (CITIZEN.test(cue) && isKnownWord(nameWord(tokens[at] as Token))) return 'none';
  if (ARABIC_TITLES.has(cue)) return ARABIC_AFTER_TITLE.has(nameWord(tokens[at] as Token)) ? 'none' : 'title';
  if (ARABIC_RELATIONS.has(cue)) return 'relation';
  if (ARABIC_DEEDS.has(cue) || isDeed(word)) return 'deed';
  if (TO_US.test(word) && isVerb(foldArabic(tokens[at - 2]?.text ?? ''))) return 'deed';
  if (ARABIC_ROLES.has(cue) || isRoleOfPlace(tokens, at)) return 'role';
  if (isOwnRole(word)) return 'relation';
  if (ARABIC_SPEECH.has(cue) || isVerb(word)) return 'speech';
  if (ARABIC_DIRECTIONS.has(cue) && !/^(?:عند|لدي)$/.test(cue)) return 'direction';
  if (ARABIC_HINTS.has(cue)) return 'hint';
  return word.length > 2 && (before.text.endsWith('ة') || !DEFINITE.test(word)) ? 'indefinite' : 'none';
}

/** `رد علينا باتريك`: the person concerned may precede the subject. */
const TO_US = /^(?:علي|علينا|لنا|الي|الينا|معنا|معي|بنا|منا|عنا)$/;

/** An article, a pronoun or a possessive ending. */
const DEFINITE = /^(?:[وفبك]?ال|لل)|(?:ي|ه|ها|هم|نا|كم|ك)$/;

/** `مدير المدرسة لوك`: a role, its place, and a word without an article. */
function isRoleOfPlace(tokens: readonly Token[], at: number): boolean {
  const [role, place, word] = [tokens[at - 2], tokens[at - 1], tokens[at]];
  if (!role || !place?.joined || !word?.joined || word.text.startsWith('ال')) return false;
  return /^ال/.test(place.text) && BARE_ROLES.has(foldArabic(role.text).replace(/^[ولب]/, ''));
}

/** `سكرتيرته`, `مديرنا`: a person's role for another person. */
function isOwnRole(word: string): boolean {
  const bare = /^(.{4,})(?:ها|هم|نا|ه|ي)$/.exec(word)?.[1];
  return (
    bare !== undefined && (BARE_ROLES.has(bare) || (bare.endsWith('ت') && BARE_ROLES.has(`${bare.slice(0, -1)}ه`)))
  );
}

const BARE_ROLES: ReadonlySet<string> = new Set(
  [...ARABIC_ROLES].map((role) => role.replace(/^ال/, '')).filter((role) => role.length > 3),
);

/** Two non-Arabic words after a role: `الموظفة كريستين ديسميت`. */
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

/** `الموظف كريم في تعامله`: the word describes a person instead of naming one. */
function isPraise(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  if (!MOSTLY_ARABIC_WORDS.has(nameWord(tokens[at] as Token)) && !/^كريم$/.test((tokens[at] as Token).text))
    return false;
  return (
    next === undefined ||
    (next.joined && /^(?:في|جدا|لكن|مع|عن|من|لا|لكنه|لمده|على|إلى|بما|و\p{L}+|ل\p{L}+|ب\p{L}+)$/u.test(next.text))
  );
}

/** Neighbouring words that often accompany persons. */
function isHinted(place: Place): boolean {
  const { tokens, at, text, isPrefixed } = place;
  const [before, next] = [tokens[at - 1], tokens[at + 1]];
  if (isPrefixed) return HINTED_PREFIX.has(foldArabic(before?.text ?? '')) || isSpeaker(place);
  if (next?.joined === true && ARABIC_SPEECH.has(foldArabic(next.text))) return true;
  if (before?.script !== 'arabic' || text.slice(before.end, (tokens[at] as Token).start) !== ' ') return false;
  const cue = cueOf(foldArabic(before.text));
  if (ARABIC_SPEECH.has(cue)) return true;
  // `شهادة حسن السلوك`: a noun and its genitive.
  const isConstruct =
    next?.joined === true &&
    /^ال/.test(next.text) &&
    kindOf(nameWord(next)) === 'word' &&
    !/^(?:الذي|التي)$/.test(next.text);
  return !isConstruct && ARABIC_HINTS.has(cue);
}

/** The same for a foreign name; after words of direction it is a place. */
function isHintedSound(place: Place): boolean {
  const before = place.tokens[place.at - 1];
  return isHinted(place) && !(before && ARABIC_DIRECTIONS.has(cueOf(foldArabic(before.text))));
}

/** Words followed by a preposition and a person: `شكرا لهالة`, `اتصلت بكريم`. */
const HINTED_PREFIX: ReadonlySet<string> = arabicSet(
  'شكرا اتصلت اتصل قلت كتبت سلمت دفعت قيل وفقا التقيت مررت استعنت الملف الأوراق الاستمارة الوثائق المفتاح البطاقة الشهادة المال الفضل الشكر',
);

/** `قال كريم إن`, `كريم قال`: the word is the subject of a verb of speech. */
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

/** A cue without its attached conjunction or preposition. */
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

/** A street, a school or a month with this name. */
function isNamesake(tokens: readonly Token[], at: number): boolean {
  for (let i = at - 1; i >= Math.max(0, at - 4); i--) {
    if (!(tokens[i + 1] as Token).joined) return false;
    const word = foldArabic((tokens[i] as Token).text);
    const bare = /^(?:[وفلبك]|لل|بال|وال|فال)/.exec(word)?.[0].length ?? 0;
    if (ARABIC_NAMESAKES.has(word) || ARABIC_NAMESAKES.has(word.slice(bare))) return true;
    if (kindOf(word) === 'word' && !LINKS.test(word) && !/^(?:الله|الشهيد|الشهداء|سانت|مار)$/.test(word)) return false;
  }
  return false;
}

/** The word without its first letter, if the rest is a name and the whole is no word. */
function restOf(word: string): string | undefined {
  if (!/^[وفلبك]/.test(word) || word.length < 4 || known().words.has(word)) return undefined;
  const kind = kindOf(word.slice(1));
  if (kind === 'family') return known().family.has(word.slice(1)) ? word.slice(1) : undefined;
  return kind === 'strong' || kind === 'ambiguous' || kind === 'sound' ? word.slice(1) : undefined;
}
