import { decodeRepeatedly, URL_LIKE } from './decode-urls.ts';
import type { Span } from './digit-chains.ts';
import type { FieldKind } from './field-kinds.ts';
import { findContextIdentifiers } from './find-context.ts';
import { findEmails } from './find-emails.ts';
import { findForeignLinks } from './find-foreign-links.ts';
import type { Hit } from './find-identifiers.ts';
import { findPhones } from './find-phones.ts';
import { findTraces } from './find-traces.ts';
import { capitalised, isFullName } from './names/slug-names.ts';
import { normaliseText } from './normalise-text.ts';

/** A segment of the path, a key with its value, or a word of the fragment. */
interface Part {
  readonly key: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const HOST = /^(?:[a-z][a-z0-9+.-]{0,20}:)?\/\/[^/?#]*/i;
const BEFORE_PATH = new RegExp(`${HOST.source}[/?#]?`, 'i');
const PHONE_KEY =
  /(?:^|[^a-z])(?:tel|telephone|téléphone|telefoon|telefon|phone|gsm|mobile?|mobil|handy|fax|call|whatsapp|телефон|هاتف)/i;
/** Official addresses are full of numbers: without a key, only a mobile number or one with its country counts. */
const MOBILE = /^(?:04[5-9]\d{7}|0[67]\d{8}|(?:\+|00)[1-9]\d{7,14})$/;

/** Widens the place of a finding in a URL to all that follows the host: the rest of the URL may tell the same in other words. */
export function wholeUrlPart(text: string, kind: FieldKind, place: Span): Span {
  const urls = kind === 'url' ? [{ index: 0, 0: text }] : text.matchAll(URL_LIKE);
  for (const { index, 0: url } of urls) {
    const [from, end] = [index + (BEFORE_PATH.exec(url)?.[0].length ?? 0), index + url.length];
    if (place.start < end && place.end > from)
      return { start: Math.min(place.start, from), end: Math.max(place.end, end) };
  }
  return place;
}

/** Finds links to hosts that are not listed, and private data in the path, query and fragment of links. */
export function findInUrls(text: string, kind: FieldKind, linkHosts: readonly string[]): Hit[] {
  const hits = findForeignLinks(text, kind, linkHosts);
  if (kind === 'url') return [...hits, ...findInUrl(text, 0)];
  if (!text.includes('://')) return hits;
  for (const { index, 0: url } of text.matchAll(URL_LIKE)) hits.push(...findInUrl(url, index));
  return hits;
}

function findInUrl(url: string, at: number): Hit[] {
  const from = HOST.exec(url)?.[0].length ?? 0;
  const parts = partsOf(url, from);
  const hits = parts.flatMap((part) => rulesOf(part).map((rule) => ({ rule, ...spanOf(part, at) })));
  for (const [first, last] of numberRuns(parts)) {
    const digits = parts.slice(first, last + 1).map(({ value }) => value);
    if (last > first && MOBILE.test(digits.join(''))) {
      hits.push({
        rule: 'spelled_phone',
        start: at + (parts[first] as Part).start,
        end: at + (parts[last] as Part).end,
      });
    }
  }
  // `/margaret/holloway`, `?given=margaret&family=holloway`.
  for (const [index, part] of parts.entries()) {
    const next = parts[index + 1];
    if (!next || !ONE_WORD.test(part.value) || !ONE_WORD.test(next.value)) continue;
    if (isFullName(`${part.value} ${next.value}`)) {
      hits.push({ rule: 'person_name', start: at + part.start, end: at + next.end });
    }
  }
  return hits;
}

/** First and last index of adjacent parts that are numbers: `/0475/12/34/56`. */
function numberRuns(parts: readonly Part[]): (readonly [first: number, last: number])[] {
  const runs: [number, number][] = [];
  for (const [index, { value }] of parts.entries()) {
    if (!/^\+?\d{1,15}$/.test(value)) continue;
    const open = runs.at(-1);
    if (open?.[1] === index - 1) open[1] = index;
    else runs.push([index, index]);
  }
  return runs;
}

const ONE_WORD = /^\p{L}{3,30}$/u;

function spanOf({ start, end }: Part, at: number) {
  return { start: at + start, end: at + end };
}

/** The parts of a URL after its host, decoded. An escaped separator separates too. */
function partsOf(url: string, from: number): Part[] {
  const parts: Part[] = [];
  for (const { index, 0: written } of url.slice(from).matchAll(/[^/?&#;]+/g)) {
    const sign = written.indexOf('=');
    const [start, end] = [from + index + sign + 1, from + index + written.length];
    const key = sign < 0 ? '' : decode(written.slice(0, sign));
    for (const [value] of decode(written.slice(sign + 1)).matchAll(/[^/?&#;=|]+/g))
      parts.push({ key, value, start, end });
  }
  return parts;
}

/** Decoded text; a plus is a space, unless it begins an international number. */
function decode(text: string): string {
  return normaliseText(decodeRepeatedly(text).replace(/(?<=.)\+|^\+(?!\d)/g, ' ')).text.trim();
}

function rulesOf({ key, value }: Part): string[] {
  const spaced = value.replace(/[_~:,|]+|(?<=\p{L})[-.]+(?=[\p{L}\d])|(?<=\d)[-.]+(?=\p{L})/gu, ' ');
  const named = key === '' ? '' : `${key.replace(/[_.-]+/g, ' ')} `;
  const readings = [capitalised(named + spaced), named + value];
  // Personal pages are found in the URL as it is written.
  const rules = [
    ...readings.flatMap((text) => [...findTraces(text), ...findContextIdentifiers(text)]).map(({ rule }) => rule),
    ...(findEmails(spaced, true).length > 0 ? ['email'] : []),
    ...(isPhone(key, value) ? ['spelled_phone'] : []),
    ...(isFullName(spaced) ? ['person_name'] : []),
  ];
  return [...new Set(rules)].filter((rule) => rule !== 'profile_link');
}

function isPhone(key: string, value: string): boolean {
  const { hits } = findPhones(value, false);
  if (PHONE_KEY.test(key)) return hits.length > 0;
  return hits.some(({ start, end }) => MOBILE.test(value.slice(start, end).replace(/[^\d+]/g, '')));
}
