import type { Hit } from './find-identifiers.ts';

const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
/** An address of version 4 or 6; a version of a program or a law has fewer parts. */
export const IP_ADDRESS = new RegExp(
  `(?<![\\d.])(?:${OCTET}\\.){3}${OCTET}(?![\\d.]\\d|\\d)|(?<![\\w:])(?:[0-9a-f]{1,4}:){3,7}(?::?[0-9a-f]{1,4}){1,4}(?![\\w:])|(?<![\\w:])[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,5}::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,5})?(?![\\w:])`,
  'gi',
);

/** Plates of Belgium, the Netherlands, France and Germany as they are painted. */
export const NUMBER_PLATE =
  /(?<![\w-])(?:[1-9][-· ][A-Z]{3}[-· ]\d{3}|[A-Z]{2}-\d{3}-[A-Z]{2}|\d{1,2}-[A-Z]{2,3}-\d{1,2}|[A-Z]{2}-\d{2}-[A-Z]{2}|[A-ZÄÖÜ]{1,3}-[A-Z]{1,2} ?\d{2,4}[EH]?)(?![\w-])/g;

/** A person's page at a network of persons. */
export const PROFILE_LINK =
  /(?:facebook|instagram|tiktok|linkedin|twitter|x|threads|snapchat|vk|telegram|t|wa|github)\.(?:com|me|net)\/(?:in\/|add\/|@|profile\.php\?id=)?[\w.@%+-]{2,80}/gi;

/** A street with a number, without the postcode that usually follows. */
export const STREET_ADDRESS =
  /(?<!\p{L})(?:(?:rue|avenue|boulevard|chaussée|place|quai|allée|chemin|clos|impasse)\s(?:d[eu]s?\s|de\sla\s|de\sl['’]|d['’]|l['’])?\p{Lu}[\p{L}'’-]{2,30}(?:\s\p{Lu}[\p{L}'’-]{1,30}){0,2},?\s(?:n°\s?)?\d{1,4}[A-Za-z]?(?!\d)|\p{Lu}[\p{L}'’-]{2,30}(?:straat|laan|steenweg|dreef|stra(?:ß|ss)e|gasse|allee|weg)\s\d{1,4}[A-Za-z]?(?!\d)|\d{1,4}[A-Za-z]?,?\s(?:rue|avenue|boulevard|place)\s\p{L}[\p{L}\s'’-]{2,40}|\d{1,4}\s\p{Lu}[\p{L}'’-]{2,30}\s(?:Street|Road|Lane|Avenue|Drive)(?!\p{L}))/gu;

const RULES: readonly (readonly [rule: string, pattern: RegExp, hint: RegExp])[] = [
  ['ip_address', IP_ADDRESS, /[.:]/],
  ['number_plate', NUMBER_PLATE, /\d/],
  ['profile_link', PROFILE_LINK, /\.(?:com|me|net)\//i],
  ['postal_address', STREET_ADDRESS, /\d/],
];

/** Finds what leads to a person without naming one; all of it only holds. */
export function findTraces(text: string): Hit[] {
  return RULES.flatMap(([rule, pattern, hint]) =>
    hint.test(text)
      ? [...text.matchAll(pattern)].map(({ index, 0: match }) => ({ rule, start: index, end: index + match.length }))
      : [],
  );
}
