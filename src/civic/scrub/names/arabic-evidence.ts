import { isSureFamily, type Kind, kindOf, known, nameWord } from './arabic-kinds.ts';
import { arabicSet, foldArabic } from './arabic-letters.ts';
import { MOSTLY_ARABIC_WORDS } from './arabic-words.ts';
import type { Token } from './tokenise.ts';

/** How strongly the preceding word announces a person. */
export type Announcement =
  | 'title'
  | 'relation'
  | 'deed'
  | 'role'
  | 'speech'
  | 'hint'
  | 'indefinite'
  | 'direction'
  | 'start'
  | 'none';

/** Log odds, tuned on the practice sentences: the weight of the preceding word, compared with `ENOUGH`. */
const BEFORE: Readonly<Record<Announcement, number>> = {
  title: 6,
  relation: 4,
  deed: 5,
  role: 4,
  speech: 2.5,
  hint: 2,
  indefinite: 0.5,
  direction: 0.5,
  start: 0.5,
  none: 0.5,
};
const KINDS: Readonly<Record<Kind, number>> = {
  strong: 9,
  ambiguous: 1,
  family: 1,
  sound: 1.5,
  unknown: 0,
  weak: -2,
  word: -9,
};
/** `المطيري`: a listed family name that is no Arabic word. */
const LISTED_FAMILY = 2.5;
const LISTED_WITH_ARTICLE = 4;
const VERB_AFTER = 1.5;
const NAME_AFTER = 1.5;
const SURE_NAME_AFTER = 3;
const ARTICLE = -1;
const INFLECTED = -2;
/** Adjectives, which follow titles and relatives. */
const PARTICIPLE = -3;
const FEMININE = -1.5;
const WITH_FOREIGN_LETTER = 3;
const LETTERS_LEAST = -1;
const LETTERS_MOST = 3;
/** The model scores in sixteenths of a unit. */
const LETTER_UNIT = 16;
const ENOUGH = 3;
/** `مقبل الحاشدي`: an adjective with an article cannot follow a word without one, so this is a family name. */
const FAMILY_AFTER_INDEFINITE = 4.5;

/** Whether a word that no list decides is a name, by its letters and its neighbours. */
export function isLikelyName(tokens: readonly Token[], at: number, word: string, announced: Announcement): boolean {
  const kind = kindOf(word);
  if (kind === 'word' || word.length < 3 || isVerb(word)) return false;
  const own = likelihood(word, kind);
  const next = tokens[at + 1];
  let after = 0;
  if (next?.joined && next.script === 'arabic') {
    const second = nameWord(next);
    const secondKind = kindOf(second);
    if (isVerb(foldArabic(next.text))) after = VERB_AFTER;
    else if (isSure(second, secondKind)) after = SURE_NAME_AFTER;
    else if (secondKind !== 'word' && secondKind !== 'weak' && likelihood(second, secondKind) > 0.5) after = NAME_AFTER;
  }
  const family = announced === 'indefinite' && kind === 'family' && /^ال.*ي$/.test(word) ? FAMILY_AFTER_INDEFINITE : 0;
  return own + after + family + BEFORE[announced] >= ENOUGH;
}

/** Whether the word is nearly always a person's name. */
function isSure(word: string, kind: Kind): boolean {
  if (kind === 'ambiguous') return !MOSTLY_ARABIC_WORDS.has(word);
  return kind === 'strong' || (kind === 'family' && isSureFamily(word));
}

/** The log odds of the word alone. */
export function likelihood(word: string, kind: Kind): number {
  const { letters, family } = known();
  const score = Math.max(LETTERS_LEAST, Math.min(LETTERS_MOST, letters.score(word) / LETTER_UNIT));
  const hasArticle = word.startsWith('ال');
  if (kind === 'family' && isSureFamily(word))
    return KINDS.family + (hasArticle ? LISTED_WITH_ARTICLE : LISTED_FAMILY + score);
  if (kind === 'family' && family.has(word)) return -1;
  const article = hasArticle && kind !== 'family' ? ARTICLE : 0;
  const inflected = kind === 'unknown' && INFLECTION.test(word) ? INFLECTED : 0;
  const participle = kind === 'unknown' && NATIVE_ADJECTIVE.test(word) ? PARTICIPLE : 0;
  const feminine = kind === 'unknown' && word.endsWith('ه') ? FEMININE : 0;
  const foreign = FOREIGN_LETTER.test(word) ? WITH_FOREIGN_LETTER : 0;
  return score + KINDS[kind] + article + inflected + participle + feminine + foreign;
}

/** `المعالج`, `مغترب`, `أجنبية`. */
const NATIVE_ADJECTIVE = /^الم|^م[^اوي]{3,4}$|يه$/;

/** Letters that Kurdish and Persian names have and Arabic words lack. */
const FOREIGN_LETTER = /[پچژگڤڭ]/;

/** Verb forms, plurals and words with a pronoun, which a rule recognises better than the letter model. */
const INFLECTION =
  /^(?:.{2}[وي].ا|.ا..ا|م...ا)$|^(?:لل|بال|وال|فال|كال|است|يست|تست|نست|مست|سي|ست|سن|ي.{3}$|ن.{3}$)|(?:ها|هم|هما|هن|نا|كم|ات|ون|وا|تين|تان|ته|تي|يات|اء)$/;

/** `وعدتنا`, `حوّلني`: a verb with the speaker as object. */
export function isDeed(word: string): boolean {
  const bare = /^(.{3,})(?:ني|نا)$/.exec(word)?.[1];
  return bare !== undefined && isPast(bare);
}

function isPast(word: string): boolean {
  if (PAST.has(word) || (word.endsWith('ا') && PAST.has(`${word.slice(0, -1)}ي`))) return true;
  return word.endsWith('ت') && (PAST.has(word.slice(0, -1)) || PAST.has(`${word.slice(0, -1)}ي`));
}

/** Whether a word is a verb in the third person, or a negation. */
export function isVerb(word: string): boolean {
  if (NEGATION.has(word) || isPast(word)) return true;
  return /^[يت].{2,6}$/.test(word) && kindOf(word) === 'word' && !/(?:ه|ي)$|^ت..ي.$|^ت.ا.$/.test(word);
}

const NEGATION: ReadonlySet<string> = arabicSet('لم لن ليس ليست قد كان كانت ما_زال ستقوم سيقوم');

/** Past tense of one man; a woman's form has one letter more. */
const PAST: ReadonlySet<string> = arabicSet(`
  قال أكد ذكر أوضح أضاف كتب صرح أجاب رد اشتكى شكا وعد طلب سأل شرح اقترح نصح زعم ادعى اعترض أعلن لاحظ أفاد أشار قدم دفع وقع حضر انتظر استلم تسلم أرسل رفض وافق سكن حصل سافر توفي فقد ضيع أضاع نسي وجد رأى راجع
  اتصل تكلم تحدث جاء ذهب عاد غادر دخل خرج وصل انتقل ولد مات تزوج طلق استأجر باع اشترى فتح أغلق ألغى أجل عطل أخر حرر سجل ختم صادق صدق وجه حول أحال نقل عاين فحص كشف أعطى منح سلم أخذ سحب ترك بقي صار أصبح
  ظل بدأ انتهى حاول استطاع تمكن اضطر احتاج أراد رغب قرر حكم أمر منع سمح ساعد عاون رافق استقبل قابل زار عمل اشتغل درس علم تعلم ترجم طعن استأنف احتج طالب امتنع أصر اعتذر شكر هدد صرخ ضرب سرق كسر أصلح بنى هدم
  وقف جلس نام مرض أصيب تعب تأخر غاب استقال تقاعد عين نجح رسب فاز خسر حكى أخبر أبلغ أوصى تابع تولى استظهر تضرر تعرض أمضى تعهد تنازل استفسر تشاجر اختفى هرب لجأ
  حدد استدعى طرد جدد مدد هاتف راسل كلم أقنع أرشد دل طمأن أعاد أرجع أوقف ألزم أجبر خالف غرم عوض خصم صرف أودع حجز كتم أخفى كذب غش خدع وظف فصل نسق نظم حضّر جهز طبع نسخ صور رتب ملأ وثق شهد أنكر اعترف تبرع سدد استدان ربح ورث رحل رجع حج صلى صام لقي صادف شاهد عرف فهم سمع قرأ أيد عارض ناقش صوت انتخب رشح ترشح
`);
