import { parsePhoneNumberFromString as parseInDetail } from 'libphonenumber-js/max';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { type DigitWindow, findDigitChains, SEPARATOR, type Span, windowsOf } from './digit-chains.ts';
import type { Hit } from './find-identifiers.ts';
import { SCRUB_LIMITS } from './limits.ts';

export const INTERNATIONAL_PHONE = new RegExp(
  `(?:\\+|(?<!\\d)00)${SEPARATOR}{0,2}(?:\\(?\\d\\)?${SEPARATOR}{0,2}){6,14}\\d`,
  'g',
);

/** A leading 0, nine digits in total, or ten if they start with 04, with or without separators [PV9]. */
export const BELGIAN_NATIONAL_PHONE = /(?<!\d)0(?:4\d(?:[ ./-]{0,3}\d){7}|[1-9](?:[ ./-]{0,3}\d){7})(?!\d)/g;

const EU = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '));

/** Line types of offices rather than persons. */
const OFFICE_LINES = new Set(['FIXED_LINE', 'TOLL_FREE', 'PREMIUM_RATE', 'SHARED_COST', 'UAN', 'VOIP']);

const DATES = /(?<!\d)(?:(?:19|20)\d{2}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d{2})(?!\d)/g;

export interface Phones {
  readonly hits: Hit[];
  /** Office lines, in fields that allow them. */
  readonly allowed: Span[];
}

/** Finds phone numbers in text with masked identifiers; path entries may contain office lines. */
export function findPhones(masked: string, allowOffices: boolean): Phones {
  const hits: Hit[] = [];
  const allowed: Span[] = [];
  if (!/\d/.test(masked)) return { hits, allowed };
  // A trunk zero in brackets is not dialled; elsewhere a bracket is no separator.
  const text = masked
    .replace(/(?<=\d\s?)\(0\)/g, '   ')
    .replace(/[()]/g, ' ')
    .replace(DATES, (date) => '\ue000'.repeat(date.length));
  for (const chain of findDigitChains(text, SCRUB_LIMITS.phoneSeparatorsMax)) {
    if (chain.digits.length < SCRUB_LIMITS.phoneDigitsMin) continue;
    let from = -1;
    for (const window of windowsOf(chain, SCRUB_LIMITS.phoneDigitsMin, SCRUB_LIMITS.phoneDigitsMax)) {
      if (window.start < from) continue;
      const plus = /\+\s?$/.test(text.slice(Math.max(0, window.start - 2), window.start));
      const found =
        plus || /^00[1-9]/.test(window.digits)
          ? international(plus ? window.digits : window.digits.slice(2), allowOffices)
          : (national(window.digits, window.shape.length, allowOffices) ?? ofNeighbours(window, allowOffices));
      if (found === undefined) continue;
      from = window.end;
      const start = plus ? text.lastIndexOf('+', window.start) : window.start;
      if (found === 'office') allowed.push({ start, end: window.end });
      else hits.push({ rule: found, start, end: window.end });
    }
  }
  return { hits, allowed };
}

const NEIGHBOURS = ['DE', 'NL', 'GB'] as const;

/** `030 12345678`, `020 7946 0958`: a separate area code, and a number that is valid in a neighbouring country. */
function ofNeighbours({ digits, shape, whole }: DigitWindow, allowOffices: boolean): Found {
  const [area = 0] = shape;
  // 4-3-3 is the grouping of enterprise numbers.
  if (!whole || shape.join() === '4,3,3') return undefined;
  if (!/^0[1-9]\d{8,10}$/.test(digits) || shape.length < 2 || shape.length > 4 || area < 3 || area > 5)
    return undefined;
  const country = NEIGHBOURS.find((one) => parsePhoneNumberFromString(digits, one)?.isValid());
  if (country === undefined) return undefined;
  if (allowOffices && OFFICE_LINES.has(parseInDetail(digits, country)?.getType() ?? '')) return 'office';
  return EU.has(country) ? 'eu_phone' : 'international_phone';
}

type Found = 'eu_phone' | 'international_phone' | 'belgian_national_phone' | 'office' | undefined;

function international(digits: string, allowOffices: boolean): Found {
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (!number?.isValid()) return undefined;
  if (allowOffices && isOffice(digits)) return 'office';
  return EU.has(number.country ?? '') ? 'eu_phone' : 'international_phone';
}

/** Only the full numbering plans know line types; Belgian mobile numbers start with 4. */
function isOffice(digits: string): boolean {
  return OFFICE_LINES.has(parseInDetail(`+${digits}`)?.getType() ?? '') || /^32[^4]/.test(digits);
}

function national(digits: string, groups: number, allowOffices: boolean): Found {
  // Without separators, accept only unambiguous numbers: mobile numbers start with 045 to 049.
  const mobile = groups < 2 ? /^04[5-9]\d{7}$/.test(digits) : /^04\d{8}$/.test(digits);
  const isFrench =
    !mobile && (groups < 2 ? /^0[67]\d{8}$/ : /^0[1-9]\d{8}$/).test(digits) && (groups < 2 || groups === 5);
  if (!(mobile || isFrench || /^0[1-9]\d{7}$/.test(digits))) return undefined;
  if (allowOffices && !mobile && !/^0[67]\d{8}$/.test(digits)) return 'office';
  return isFrench ? 'eu_phone' : 'belgian_national_phone';
}

const NUMBER_WORDS =
  'zero|oh|nought|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|double|triple|' +
  'zéro|un|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|vingts|trente|quarante|cinquante|soixante|septante|octante|nonante|cents?|et|' +
  'nul|een|één|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf|dertien|veertien|vijftien|zestien|zeventien|achttien|negentien|(?:[\\p{L}]{2,6}(?:ën|en))?(?:twintig|dertig|veertig|vijftig|zestig|zeventig|tachtig|negentig)|(?:\\p{L}{3,5})?honderd|' +
  'null|eins|zwei|zwo|drei|fünf|sechs|sieben|neun|zehn|zwölf|(?:\\p{L}{2,6}und)?(?:zwanzig|dreißig|dreissig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)|(?:drei|vier|fünf|sech|sieb|acht|neun)zehn|(?:\\p{L}{3,6})?hundert|' +
  "нуль|ноль|один|одна|два|дві|три|чотири|п[’']?ять|шість|сім|вісім|дев[’']?ять|десять|(?:оди|два|три|чотир|п[’']?ят|шіст|сім|вісім|дев[’']?ят)надцять|двадцять|тридцять|сорок|(?:п[’']?ят|шіст|сім|вісім)десят|дев[’']?яносто|сто|двісті|(?:три|чотири)ста|(?:п[’']?ят|шіст|сім|вісім|дев[’']?ят)сот|" +
  'و?(?:صفر|واحد|احد|أحد|إحدى|اثنان|اثنين|اثنا|اثنتا|اثني|ثلاثة?|أربعة?|خمسة?|ستة?|سبعة?|ثماني?ة?|تسعة?|عشرة?|(?:عشر|ثلاث|أربع|خمس|ست|سبع|ثمان|تسع)(?:ون|ين)|مئة|مائة|مئتان|مئتين)';
/** Words that ask for a call, and words for a number to call. */
const CALL_CUE =
  '(?:call|ring|phone|dial|text|reach|number|mobile|gsm|appelez|téléphonez|composez|numéro|portable|bel|bellen|nummer|ruf|rufen|rufnummer|handy|телефонуйте|дзвоніть|зателефонуйте|телефон|номер|اتصل|اتصلوا|رقمي|هاتفي|الهاتف)';
/** A phone number in words: from its zero or country code on, or after a word for a call. */
export const SPELLED_PHONE = new RegExp(
  `(?<!\\p{L})(?:(?:zero|oh|nought|plus|zéro|nul|null|нуль|ноль|плюс|صفر|زائد)(?:[\\s,-]{1,3}(?:${NUMBER_WORDS})(?!\\p{L})){5,20}` +
    `|${CALL_CUE}(?!\\p{L})[^.!?\\n\\d]{0,20}?(?<!\\p{L})(?:${NUMBER_WORDS})(?!\\p{L})(?:[\\s,-]{1,3}(?:${NUMBER_WORDS})(?!\\p{L})){6,20})`,
  'giu',
);
const SPELLED_HINT = new RegExp(`zero|oh |nought|plus|zéro|nul|нуль|ноль|плюс|صفر|زائد|${CALL_CUE}`, 'i');

/** Words that ask for a call. */
const CALL =
  'call|ring|phone|dial|appelez|téléphonez|composez|bel|bellen|ruf|rufen|телефонуйте|дзвоніть|зателефонуйте|اتصل|اتصلوا';

/** Evasive forms: a local number after a word that asks for a call, commas between groups, a mobile number without its zero, an American number, digits among words. */
const LOOSE_PHONES: readonly RegExp[] = [
  new RegExp(
    `(?<!\\p{L})(?:${CALL})(?!\\p{L})[^.!?\\n\\d]{0,20}(?<![\\d.,/-])\\d{3}[ .]\\d{2}[ .]\\d{2}(?![\\d]|[ .,/-]\\d)`,
    'giu',
  ),
  /(?<![\d,.])0\d{1,3}(?:, ?\d{2,3}){3,4}(?![\d,])/g,
  /(?<![\d.,/)-]|[\d)][ .])4[5-9]\d(?:[ .]\d{2}){3}(?![\d.,/-]\d|\d)/g,
  /\([2-9]\d{2}\) ?[2-9]\d{2}[-. ]\d{4}(?!\d)/g,
  new RegExp(
    `(?<![\\p{L}\\d])0\\d{1,3}(?:[\\s-]\\d{2,3}){0,3}[\\s-](?:${NUMBER_WORDS})(?!\\p{L})(?:[\\s-](?:\\d{2,3}(?!\\d)|(?:${NUMBER_WORDS})(?!\\p{L}))){1,5}`,
    'giu',
  ),
];
/** Circled digits: lists rarely count that far with them. */
const CIRCLED = /[\u2460-\u2468\u24ea\u2776-\u277e]{6,}/g;
/** A Belgian mobile number inside a URL, where other digits are common. */
const PHONE_IN_URL = /(?<!\d)(?:04|(?:\+|00)?32(?:4|04))[5-9]\d{7}(?!\d)/g;

/** Finds phone numbers in words and in evasive forms. */
export function findSpelledPhones(text: string): Hit[] {
  const patterns = [...(SPELLED_HINT.test(text) ? [SPELLED_PHONE] : []), ...(/\d/.test(text) ? LOOSE_PHONES : [])];
  return spelledBy(patterns, text);
}

/** Works on the text as sent. */
export function findCircledPhones(source: string): Hit[] {
  return spelledBy([CIRCLED], source);
}

export function findPhonesInUrl(url: string): Hit[] {
  return spelledBy([PHONE_IN_URL], url);
}

function spelledBy(patterns: readonly RegExp[], text: string): Hit[] {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ index, 0: match }) => ({
      rule: 'spelled_phone',
      start: index,
      end: index + match.length,
    })),
  );
}
