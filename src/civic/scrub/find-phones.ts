import { parsePhoneNumberFromString as parseInDetail } from 'libphonenumber-js/max';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { findDigitChains, SEPARATOR, type Span, windowsOf } from './digit-chains.ts';
import type { Hit } from './find-identifiers.ts';
import { SCRUB_LIMITS } from './limits.ts';

export const INTERNATIONAL_PHONE = new RegExp(
  `(?:\\+|(?<!\\d)00)${SEPARATOR}{0,2}(?:\\(?\\d\\)?${SEPARATOR}{0,2}){6,14}\\d`,
  'g',
);

/** Leading 0, then nine digits in all, or ten that begin with 04, with separators or without [PV9]. */
export const BELGIAN_NATIONAL_PHONE = /(?<!\d)0(?:4\d(?:[ ./-]{0,3}\d){7}|[1-9](?:[ ./-]{0,3}\d){7})(?!\d)/g;

const EU = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '));

/** Lines that belong to an office rather than to a person. */
const OFFICE_LINES = new Set(['FIXED_LINE', 'TOLL_FREE', 'PREMIUM_RATE', 'SHARED_COST', 'UAN', 'VOIP']);

const DATES = /(?<!\d)(?:(?:19|20)\d{2}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d{2})(?!\d)/g;

export interface Phones {
  readonly hits: Hit[];
  /** Office lines, where they may stand. */
  readonly allowed: Span[];
}

/** Finds phone numbers in text from which identifiers are masked; office lines pass where the field is a path entry. */
export function findPhones(masked: string, allowOffices: boolean): Phones {
  const hits: Hit[] = [];
  const allowed: Span[] = [];
  if (!/\d/.test(masked)) return { hits, allowed };
  // A trunk zero in brackets is not dialled, and a bracket is no separator elsewhere.
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
          : national(window.digits, window.shape.length, allowOffices);
      if (found === undefined) continue;
      from = window.end;
      const start = plus ? text.lastIndexOf('+', window.start) : window.start;
      if (found === 'office') allowed.push({ start, end: window.end });
      else hits.push({ rule: found, start, end: window.end });
    }
  }
  return { hits, allowed };
}

type Found = 'eu_phone' | 'international_phone' | 'belgian_national_phone' | 'office' | undefined;

function international(digits: string, allowOffices: boolean): Found {
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (!number?.isValid()) return undefined;
  if (allowOffices && isOffice(digits)) return 'office';
  return EU.has(number.country ?? '') ? 'eu_phone' : 'international_phone';
}

/** Only the full numbering plans tell lines apart; Belgian mobiles begin with 4. */
function isOffice(digits: string): boolean {
  return OFFICE_LINES.has(parseInDetail(`+${digits}`)?.getType() ?? '') || /^32[^4]/.test(digits);
}

function national(digits: string, groups: number, allowOffices: boolean): Found {
  // Without separators only what no other number looks like: mobiles begin with 045 to 049.
  const mobile = groups < 2 ? /^04[5-9]\d{7}$/.test(digits) : /^04\d{8}$/.test(digits);
  const isFrench =
    !mobile && (groups < 2 ? /^0[67]\d{8}$/ : /^0[1-9]\d{8}$/).test(digits) && (groups < 2 || groups === 5);
  if (!(mobile || isFrench || /^0[1-9]\d{7}$/.test(digits))) return undefined;
  if (allowOffices && !mobile && !/^0[67]\d{8}$/.test(digits)) return 'office';
  return isFrench ? 'eu_phone' : 'belgian_national_phone';
}
