import {
  isBelgianNationalNumber,
  isDutchBsn,
  isEnterpriseNumber,
  isFrenchNir,
  isIssuableSsn,
  isMod97Twelve,
  isPaymentCard,
  passesIbanCheck,
} from './checksums.ts';
import { countDigits, type DigitWindow, findDigitChains, GAP, type Span, windowsOf } from './digit-chains.ts';
import { IBAN_STRUCTURES } from './iban-structures.ts';
import { SCRUB_LIMITS } from './limits.ts';
import { foldLetters } from './look-alikes.ts';

export interface Hit extends Span {
  readonly rule: string;
}

export interface Identifiers {
  readonly hits: Hit[];
  /** Numbers in the form of an identifier with a wrong checksum: reported as digit runs [PV10]. */
  readonly failed: Span[];
}

/** Two letters, six digits, one letter; prefixes that are never issued are excluded. */
export const NINO = new RegExp(
  `(?<![A-Za-z0-9])(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z]${GAP}[A-CEGHJ-NPR-TW-Z]${GAP}(?:\\d${GAP}){6}[A-D](?![A-Za-z0-9])`,
  'gi',
);

/** Country, check digits, and the start of the national part; the rest depends on the country. */
export const IBAN = new RegExp(`(?<![A-Za-z0-9])[A-Z]${GAP}[A-Z]${GAP}\\d${GAP}\\d(?:${GAP}[A-Z0-9]){11,30}`, 'gi');
const IBAN_START = new RegExp(`(?:(?<![A-Za-z0-9])|(?<=IBAN))([A-Z])${GAP}([A-Z])(?=${GAP}\\d${GAP}\\d)`, 'gi');

/** A Corsican NIR has a letter among its digits. */
const CORSICAN_NIR = new RegExp(
  `(?<![A-Za-z0-9])[1-478](?:${GAP}\\d){4}${GAP}2${GAP}[AB](?:${GAP}\\d){8}(?!\\d)`,
  'gi',
);

const BCE_CUE = /(?:^|[^\p{L}])(?:BCE|KBO|BE)(?:[-\s]?(?:nummer|nr|no|n°|numéro|number))?[\s:.#-]{0,4}$/iu;
const BSN_CUE = /(?:BSN|burgerservicenummer|sofinummer)\D{0,25}$/i;

/** Usual groupings of numbers with a weak checksum, required next to other numbers. */
const CARD_SHAPES = new Set(['4,4,4,4', '4,4,4,4,3', '4,4,4,1', '4,6,5', '4,6,4', '4,4,4,3']);
/** Two dates or three years can have the length of a card or eID number, and sometimes its checksum. */
const DAY = '(?:\\d{1,2}[./-]\\d{1,2}[./-]|)(?:19|20)\\d{2}(?:[./-]\\d{1,2}[./-]\\d{1,2}|)';
const ONLY_DATES = new RegExp(`^${DAY}(?:[^\\d]{1,3}${DAY}){1,4}$`);

const FAILED_SHAPES = new Set(['2,2,2,3,2', '6,3,2', '6,5', '3,7,2', '3,4,5', '4,3,3', '3,2,4']);

/** Finds identifiers by structure and checksum, in normalised text. */
export function findIdentifiers(source: string): Identifiers {
  const hits: Hit[] = [];
  const failed: Span[] = [];
  const digits = countDigits(source);
  if (digits < 2) return { hits, failed };
  const text = foldLetters(source);
  const taken = new Uint8Array(text.length);
  const take = (rule: string, { start, end }: Span): void => {
    hits.push({ rule, start, end });
    taken.fill(1, start, end);
  };
  for (const { valid, ...span } of findIbans(text)) {
    if (valid) take('iban', span);
    else failed.push(span);
  }
  // The remaining patterns need at least six digits; most texts have fewer.
  if (digits < 6) return { hits, failed };
  for (const match of text.matchAll(NINO)) take('uk_national_insurance', spanOf(match));
  for (const match of text.matchAll(CORSICAN_NIR)) {
    if (isFrenchNir(match[0].replace(/[^0-9ab]/gi, ''))) take('french_nir', spanOf(match));
  }
  for (const chain of findDigitChains(text)) {
    if (chain.digits.length < 8) continue;
    const doubtful: Span[] = [];
    for (const window of windowsOf(chain, 8, 19)) {
      if (isTaken(taken, window)) continue;
      const rule = ruleOf(window, text);
      if (rule) take(rule, window);
      else if (looksLikeIdentifier(window, text)) doubtful.push({ start: window.start, end: window.end });
    }
    failed.push(...doubtful);
  }
  return { hits, failed: failed.filter((span) => !isTaken(taken, span)) };
}

function ruleOf(window: DigitWindow, text: string): string | undefined {
  const { digits, shape, whole, start, end } = window;
  const unbroken = shape.length === 1;
  const alone = whole && !ONLY_DATES.test(text.slice(start, end));
  const key = shape.join();
  switch (digits.length) {
    case 8:
    case 9:
      if (key === '3,2,4' && isDashed(text, window) && isIssuableSsn(digits)) return 'us_ssn';
      if (BSN_CUE.test(text.slice(Math.max(0, start - 45), start)) && isDutchBsn(digits)) return 'nl_bsn';
      return undefined;
    case 10: {
      const written = key === '4,3,3' && /^\d{4}\.\d{3}\.\d{3}$/.test(text.slice(start, end));
      const cued = BCE_CUE.test(text.slice(Math.max(0, start - 20), start));
      return (written || cued) && isEnterpriseNumber(digits) ? 'belgian_bce' : undefined;
    }
    case 11:
      return isBelgianNationalNumber(digits) ? 'belgian_nrn' : undefined;
    case 12:
      if (!isMod97Twelve(digits)) return undefined;
      if (/^(?:\+{2,3}|\*{2,3})\s?$/.test(text.slice(Math.max(0, start - 4), start).trimStart()) || key === '3,4,5') {
        return 'structured_communication';
      }
      return unbroken || key === '3,7,2' || alone ? 'be_id_card_number' : undefined;
    default:
      if (digits.length === 15 && isFrenchNir(digits)) return 'french_nir';
      if (digits.length < 13) return undefined;
      return (unbroken || CARD_SHAPES.has(key) || alone) && isPaymentCard(digits) ? 'payment_card' : undefined;
  }
}

function isDashed(text: string, { start, end }: Span): boolean {
  return /^\d{3}[-\u2010-\u2015\u2212]\d{2}[-\u2010-\u2015\u2212]\d{4}$/.test(text.slice(start, end));
}

function looksLikeIdentifier({ shape, digits, start, end }: DigitWindow, text: string): boolean {
  const key = shape.join();
  if (key === '3,2,4') return /^[\d-]+$/.test(text.slice(start, end));
  // Ten digits starting with 04 are a mobile phone number.
  if (key === '4,3,3') return /^[\d.]+$/.test(text.slice(start, end)) && !digits.startsWith('04');
  // Four consecutive years are no card number.
  if (key === '4,4,4,4') return /^[3-6]/.test(digits);
  return FAILED_SHAPES.has(key);
}

function* findIbans(text: string): Generator<Span & { valid: boolean }> {
  for (const match of text.matchAll(IBAN_START)) {
    const country = `${match[1]}${match[2]}`.toUpperCase();
    const structure = IBAN_STRUCTURES[country];
    if (!structure) continue;
    const read = readIban(text, match.index + match[0].length, country, `n2${structure}`);
    if (read) yield { start: match.index, ...read };
  }
}

/** Parses one IBAN by its country's structure: its end, and whether the checksum is valid. */
function readIban(
  text: string,
  start: number,
  country: string,
  structure: string,
): { end: number; valid: boolean } | undefined {
  let at = start;
  let iban = country;
  for (const [, kind, count] of structure.matchAll(/([nac])(\d+)/g)) {
    for (let i = 0; i < Number(count); i++) {
      let gap = 0;
      while (gap < SCRUB_LIMITS.separatorsMax && at < text.length && !isAlphanumeric(text.charCodeAt(at))) {
        at++;
        gap++;
      }
      const written = text.charAt(at).toUpperCase();
      // Read letters that look like digits as digits where only digits are allowed.
      const char = kind === 'n' ? (LOOK_ALIKES[written] ?? written) : written;
      if (!(kind === 'n' ? /^\d$/ : kind === 'a' ? /^[A-Z]$/ : /^[A-Z0-9]$/).test(char)) return undefined;
      iban += char;
      at++;
    }
  }
  return /^\d/.test(text.charAt(at)) ? undefined : { end: at, valid: passesIbanCheck(iban) };
}

const LOOK_ALIKES: Readonly<Record<string, string>> = { O: '0', Q: '0', I: '1', L: '1', S: '5', B: '8', Z: '2' };

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function isTaken(taken: Uint8Array, { start, end }: Span): boolean {
  return taken.subarray(start, end).includes(1);
}

function spanOf(match: RegExpExecArray): Span {
  return { start: match.index, end: match.index + match[0].length };
}
