import { isMod97Twelve } from './checksums.ts';
import type { Span } from './digit-chains.ts';
import type { Hit } from './find-identifiers.ts';
import { HintIndex } from './hint-index.ts';
import { SCRUB_LIMITS } from './limits.ts';

const MONTHS =
  '(?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december|januar|jänner|februar|märz|august|dezember|january|february|march|may|june|july|october|січня|лютого|березня|квітня|травня|червня|липня|серпня|вересня|жовтня|листопада|грудня|يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر)';
const DATE = `(?:\\d{1,2}\\s?[./-]\\s?\\d{1,2}\\s?[./-]\\s?\\d{2,4}|\\d{4}[./-]\\d{1,2}[./-]\\d{1,2}|\\d{1,2}(?:er|\\.|st|nd|rd|th)?\\s${MONTHS}\\.?,?\\s\\d{4}|${MONTHS}\\s\\d{1,2},?\\s\\d{4})`;

const BIRTH_CUES = [
  'née?',
  'né\\(e\\)',
  'naissance',
  'naquit',
  'geboren',
  'geboortedatum',
  'geburtsdatum',
  'geb\\.',
  'geburtstag',
  'born',
  'date of birth',
  'birth ?date',
  'birthday',
  'd\\.?o\\.?b\\.?',
  'anniversaire',
  'verjaardag',
  'народився',
  'народилася',
  'дата народження',
  'تاريخ الميلاد',
  'ولدت',
  'ولد',
  'مواليد',
];

/** Words for a birthday after a date and a verb. */
const BIRTHDAYS =
  'birth ?date|date of birth|birthday|date de naissance|anniversaire|geboortedatum|verjaardag|geburtsdatum|geburtstag|дата народження|день народження|تاريخ (?:ال)?ميلاد\\p{L}{0,2}';
/** A date after a word for "born", or one that is said to be a birthday. */
export const BIRTH_DATE = new RegExp(
  `(?<!\\p{L})(?:${BIRTH_CUES.join('|')})(?!\\p{L})[^\\d.;!?\\n]{0,30}?(?<!\\d)${DATE}(?!\\d)|(?<!\\d)${DATE},? (?:is|was|est|était|ist|war|[–—-]|це|هو|كان) ?[^\\d.;!?\\n]{0,20}?(?<!\\p{L})(?:${BIRTHDAYS})(?!\\p{L})`,
  'giu',
);

const DOCUMENT_WORDS =
  'passe?port|paspoort|reisepass|pass-?nummer|titre de séjour|carte de séjour|permis de séjour|residence (?:card|permit|document)|verblijfs(?:titel|kaart|document|vergunning)|aufenthalts(?:titel|karte|erlaubnis)|travel document|document de voyage|reisdocument|reisedokument|паспорт\\p{L}{0,3}|посвідк\\p{L}{1,3}|جواز';

/** Words before a number that is no part of a document's. */
const SMALL_WORDS = 'eur|usd|at|to|on|by|in|of|or|for|and|is|no|nr|au|du|le|les|en|et|ou|op|om|of|van|am|an|ab|bis|und';
/** One to three letters and six to nine digits, also in groups, after a word for a passport or residence document. */
export const TRAVEL_DOCUMENT = new RegExp(
  `(?<!\\p{L})(?:${DOCUMENT_WORDS})(?!\\p{L})[^\\n]{0,40}?(?<![A-Za-z0-9])(?:[A-Z]{1,3}[\\s-]?\\d{6,9}|(?!(?:${SMALL_WORDS})\\s)[A-Z]{1,3}\\s\\d{2,3}(?:\\s\\d{2,3}){2,3})(?![A-Za-z0-9])`,
  'giu',
);

/** Every cue contains one of these texts: searching for them is cheaper than the pattern. */
const BIRTH_HINTS = [
  'né',
  'naissance',
  'naquit',
  'geb',
  'geboortedatum',
  'born',
  'birth',
  'dob',
  'd.o.b',
  'anniversaire',
  'verjaardag',
  'день народження',
  'народ',
  'ميلاد',
  'ولد',
  'مواليد',
];
const DOCUMENT_HINTS = [
  'pass',
  'pasp',
  'séjour',
  'residence',
  'verblijf',
  'aufenthalt',
  'travel',
  'voyage',
  'reis',
  'паспорт',
  'посвідк',
  'جواز',
];

const HINTED = [
  { rule: 'travel_document', pattern: TRAVEL_DOCUMENT },
  { rule: 'birth_date', pattern: BIRTH_DATE },
];
const HINTS = new HintIndex([DOCUMENT_HINTS, BIRTH_HINTS]);

const STREET = new RegExp(
  '(?<!\\p{L})(?:rue|avenue|av\\.|boulevard|bd\\.?|blvd\\.?|place|chaussée|chée|chemin|quai|square|impasse|clos|allée|drève|sentier|venelle|street|road|lane|drive|вул\\.|вулиця|شارع)(?!\\p{L})' +
    '|(?:straat|laan|weg|plein|lei|dreef|kaai|steenweg|baan|markt|gracht|kade|hof|stra(?:ß|ss)e|gasse|platz|allee)(?!\\p{L})|str\\.',
  'iu',
);
const HOUSE_NUMBER = /(?<![\p{L}\d])\d{1,4}\s?[a-z]?(?![\p{L}\d])/iu;

/** A postcode and town (or a British postcode); it is an address if a street with a number precedes it. */
export const POSTCODE =
  /(?<![\p{L}\d.,-])(?:(?:[A-Z]{1,2}-)?\d{4,5}\s+\p{Lu}\p{L}+|[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2})(?![\p{L}\d])/gu;

const CASE_CUES =
  "(?:dossier|case|application|o\\.?v\\.?(?:\\s?/\\s?s\\.?p\\.?)?|s\\.?p\\.?|foreigner(?:['’]s)?)[\\s-]?(?:file[\\s-]?)?(?:number|no\\.?|nr\\.?|n°|id)" +
  "|(?:numéro|n°|réf(?:érence)?\\.?)\\s(?:de\\s|du\\s|d['’])?(?:dossier|o\\.?v\\.?|s\\.?p\\.?|sûreté publique)|dossier\\s(?:numéro|n°|n[or]\\.?)" +
  '|(?:dossier|zaak|o\\.?v\\.?|s\\.?p\\.?|vreemdelingen)[\\s-]?(?:nummer|nr\\.?)' +
  '|(?:akten|dossier|vorgangs|geschäfts|fall)(?:zeichen|nummer|nr\\.?)' +
  '|номер(?:ом|а|у)?\\s(?:справи|досьє)|справ[аиіу]\\s(?:№|no)' +
  '|رقم\\s(?:ال)?(?:ملف|قضية|دوسيه|معاملة)\\p{L}{0,2}|(?:ال)?ملف\\sرقم';
/** A number of six to twelve digits after a word for the number of somebody's case. */
export const CASE_NUMBER = new RegExp(
  `(?<!\\p{L})(?:${CASE_CUES})(?!\\p{L})[^\\d.!?\\n]{0,15}(?<!\\d)\\d(?:[ ./-]?\\d){5,11}(?!\\d)`,
  'giu',
);
/** The printed form of the number of a Belgian identity card; with a right checksum another rule refuses it. */
export const ID_CARD_FORM = /(?<![\d./-]|\d )\d{3}[- ]\d{7}[- ]\d{2}(?![\d/-]|[. ]\d)/g;
const DEGREES = '(?:\\s?°)?(?:\\s?[NSEW])?';
/** Latitude and longitude with four or more decimals: ten metres. */
export const COORDINATES = new RegExp(
  `(?<![\\d.,])[-+]?[1-8]?\\d\\.\\d{4,}${DEGREES}[,;/]?\\s?(?:[-+]|[NSEW]\\s?)?(?:1[0-7]\\d|\\d{1,2})\\.\\d{4,}(?!\\d|[.,]\\d)`,
  'g',
);
/** Six pairs of hexadecimal digits. With hyphens at least one is a letter: six numbers may be a date and a time. */
export const DEVICE_ADDRESS =
  /(?<![\w:.-])[\da-f]{2}(?::[\da-f]{2}){5}(?![\w:-])|(?<![\w:.-])(?=[\d-]*[a-f])[\da-f]{2}(?:-[\da-f]{2}){5}(?![\w:-])/gi;

/** Finds data that identifies a person only in context: documents, birth dates, postal addresses, numbers of cases and devices. */
export function findContextIdentifiers(text: string): Hit[] {
  if (!/\d/.test(text)) return [];
  const hits = findPrivateNumbers(text);
  for (const found of HINTS.find(text.toLowerCase())) {
    const { rule, pattern } = HINTED[found] as (typeof HINTED)[number];
    for (const { index, 0: match } of text.matchAll(pattern)) {
      hits.push({ rule, start: index, end: index + match.length });
    }
  }
  if (!/\d{4}|[A-Z]\d/.test(text)) return hits;
  for (const { index, 0: match } of text.matchAll(POSTCODE)) {
    const from = Math.max(0, index - SCRUB_LIMITS.streetCharsMax);
    const before = text.slice(from, index);
    const street = STREET.exec(before);
    if (!street) continue;
    const number = HOUSE_NUMBER.exec(before);
    if (number)
      hits.push({
        rule: 'postal_address',
        start: from + Math.min(street.index, number.index),
        end: index + match.length,
      });
  }
  return hits;
}

/** Numbers without a checksum that belong to one person, one place or one device. */
function findPrivateNumbers(text: string): Hit[] {
  return [
    ...found('case_number', CASE_NUMBER, text),
    ...found('id_card_form', ID_CARD_FORM, text).filter((hit) => !isMod97Twelve(digitsOf(text, hit))),
    ...found('coordinates', COORDINATES, text),
    ...found('device_address', DEVICE_ADDRESS, text),
  ];
}

function digitsOf(text: string, { start, end }: Span): string {
  return text.slice(start, end).replace(/\D/g, '');
}

function found(rule: string, pattern: RegExp, text: string): Hit[] {
  return [...text.matchAll(pattern)].map(({ index, 0: match }) => ({ rule, start: index, end: index + match.length }));
}
