import { digitsPattern } from './digit-chains.ts';
import type { FieldKind } from './field-kinds.ts';
import { ACTIVE_CONTENT, MARKDOWN_CONTENT } from './find-active-content.ts';
import {
  BIRTH_DATE,
  CASE_NUMBER,
  COORDINATES,
  DEVICE_ADDRESS,
  ID_CARD_FORM,
  POSTCODE,
  TRAVEL_DOCUMENT,
} from './find-context.ts';
import { EMAIL } from './find-emails.ts';
import { IBAN, NINO } from './find-identifiers.ts';
import { HIDDEN_TEXT } from './find-instructions.ts';
import { BELGIAN_NATIONAL_PHONE, INTERNATIONAL_PHONE, SPELLED_PHONE } from './find-phones.ts';
import { API_KEY, URL_SECRET } from './find-secrets.ts';
import { HOME_ADDRESS, IP_ADDRESS, NUMBER_PLATE, PROFILE_LINK, STREET_ADDRESS } from './find-traces.ts';
import { INJECTION_PATTERNS } from './injection-patterns.ts';
import { SCRUB_LIMITS } from './limits.ts';
import { UPLOAD_PATTERNS } from './upload-patterns.ts';

/** `direct_identifier` and `active_content` reject, `contextual_identifier` and `instruction` hold, `indirect_identifier` advises. */
export type RuleCategory =
  | 'direct_identifier'
  | 'indirect_identifier'
  | 'contextual_identifier'
  | 'active_content'
  | 'instruction';

export interface Rule {
  readonly name: string;
  readonly category: RuleCategory;
  /** Null if a word list or a parser decides. */
  readonly pattern: RegExp | null;
  /** The checksum that a match must also pass. */
  readonly checksum: string | null;
  readonly kinds: readonly FieldKind[];
}

const EVERYWHERE: readonly FieldKind[] = ['free_text', 'markdown', 'diff', 'path_entry', 'url'];
const NOT_URLS: readonly FieldKind[] = ['free_text', 'markdown', 'diff', 'path_entry'];

const FREE_TEXT: readonly FieldKind[] = ['free_text'];
const BODIES: readonly FieldKind[] = ['markdown', 'diff'];

const digits = (count: number | readonly [number, number]): RegExp => new RegExp(digitsPattern(count), 'g');

function direct(name: string, pattern: RegExp, checksum: string | null = null, kinds = EVERYWHERE): Rule {
  return { name, category: 'direct_identifier', pattern, checksum, kinds };
}

function held(name: string, category: RuleCategory, pattern: RegExp | null, kinds = EVERYWHERE): Rule {
  return { name, category, pattern, checksum: null, kinds };
}

/** All rules: what they look for, where, and the consequence. */
export const RULES: readonly Rule[] = [
  direct('belgian_nrn', digits(11), 'date_and_97_minus_mod97'),
  direct('iban', IBAN, 'iso7064_mod97_10'),
  direct('email', EMAIL),
  direct('eu_phone', INTERNATIONAL_PHONE, 'numbering_plan', NOT_URLS),
  direct('international_phone', INTERNATIONAL_PHONE, 'numbering_plan', NOT_URLS),
  direct('belgian_national_phone', BELGIAN_NATIONAL_PHONE, null, NOT_URLS),
  direct('us_ssn', /(?<!\d)(?!000|666|9)\d{3}[-\u2010-\u2015\u2212]\d{2}[-\u2010-\u2015\u2212]\d{4}(?!\d)/g),
  direct('uk_national_insurance', NINO),
  direct('french_nir', digits(15), '97_minus_mod97'),
  direct('nl_bsn', /(?:BSN|burgerservicenummer|sofinummer)\D{0,25}\d(?:[\s./-]{0,3}\d){7,8}(?!\d)/gi, 'eleven_test'),
  direct('be_id_card_number', digits(12), 'mod97_of_first_ten'),
  direct(
    'structured_communication',
    /(?:\+{2,3}|\*{2,3})?\s?\d{3}\s?\/\s?\d{4}\s?\/\s?\d{5}\s?(?:\+{2,3}|\*{2,3})?/g,
    'mod97_of_first_ten',
  ),
  direct('payment_card', digits([13, 19]), 'issuer_and_luhn'),
  direct('url_secret', URL_SECRET),
  direct('api_key', API_KEY),
  {
    name: 'belgian_bce',
    category: 'indirect_identifier',
    pattern: /(?<!\d)[01]\d{3}\.\d{3}\.\d{3}(?!\d)|(?:BCE|KBO|BE)[\s:.#-]{0,4}[01](?:[\s./-]{0,3}\d){9}(?!\d)/gi,
    checksum: '97_minus_mod97_of_first_eight',
    kinds: EVERYWHERE,
  },
  {
    name: 'long_digit_run',
    category: 'indirect_identifier',
    pattern: new RegExp(`\\d{${SCRUB_LIMITS.digitRunMin},}`, 'g'),
    checksum: null,
    kinds: NOT_URLS,
  },
  { name: 'foreign_link', category: 'indirect_identifier', pattern: null, checksum: null, kinds: EVERYWHERE },
  held('person_name', 'contextual_identifier', null),
  held('travel_document', 'contextual_identifier', TRAVEL_DOCUMENT),
  held('birth_date', 'contextual_identifier', BIRTH_DATE),
  held('postal_address', 'contextual_identifier', POSTCODE),
  held('ip_address', 'contextual_identifier', IP_ADDRESS, [...FREE_TEXT, ...BODIES]),
  held('number_plate', 'contextual_identifier', NUMBER_PLATE, [...FREE_TEXT, ...BODIES]),
  held('device_address', 'contextual_identifier', DEVICE_ADDRESS),
  held('case_number', 'contextual_identifier', CASE_NUMBER),
  held('id_card_form', 'contextual_identifier', ID_CARD_FORM),
  held('coordinates', 'contextual_identifier', COORDINATES),
  held('profile_link', 'contextual_identifier', PROFILE_LINK, ['free_text', 'url']),
  held('spelled_phone', 'contextual_identifier', SPELLED_PHONE, [...FREE_TEXT, ...BODIES]),
  held('postal_address', 'contextual_identifier', STREET_ADDRESS, FREE_TEXT),
  held('postal_address', 'contextual_identifier', HOME_ADDRESS, BODIES),
  held('injection_pattern', 'instruction', anyOf(INJECTION_PATTERNS.map(({ pattern }) => pattern))),
  held('upload_request', 'instruction', anyOf(UPLOAD_PATTERNS.map(({ pattern }) => pattern))),
  held('hidden_text', 'instruction', HIDDEN_TEXT),
  { name: 'active_content', category: 'active_content', pattern: ACTIVE_CONTENT, checksum: null, kinds: EVERYWHERE },
  {
    name: 'active_content',
    category: 'active_content',
    pattern: MARKDOWN_CONTENT,
    checksum: null,
    kinds: BODIES,
  },
];

export type Verdict = 'reject' | 'hold' | 'advise';

const CATEGORIES: ReadonlyMap<string, RuleCategory> = new Map(RULES.map(({ name, category }) => [name, category]));

/** The consequence of a rule in a field of this kind [PV7, PV8]. */
export function verdictOf(rule: string, kind: FieldKind): Verdict {
  switch (CATEGORIES.get(rule)) {
    case 'contextual_identifier':
    case 'instruction':
      return 'hold';
    case 'indirect_identifier':
      return rule === 'long_digit_run' && kind === 'path_entry' ? 'reject' : 'advise';
    default:
      return 'reject';
  }
}

function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'giu');
}
