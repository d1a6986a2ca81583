import { decodeUrlParts } from './decode-urls.ts';
import { DIGIT_RUN, hasPhoneDigits, type Span } from './digit-chains.ts';
import type { FieldKind } from './field-kinds.ts';
import { findActiveContent } from './find-active-content.ts';
import { findContextIdentifiers } from './find-context.ts';
import { findEmails } from './find-emails.ts';
import { findIdentifiers, type Hit } from './find-identifiers.ts';
import { findInBody } from './find-in-body.ts';
import { findInUrls } from './find-in-urls.ts';
import { findHiddenText, findInstructions } from './find-instructions.ts';
import { findCircledPhones, findPhones, findPhonesInUrl, findSpelledPhones } from './find-phones.ts';
import { findApiKeys, findNamedSecrets, findUrlSecrets } from './find-secrets.ts';
import { findProfiles, findTraces } from './find-traces.ts';
import { foldDigits, foldMixedWords } from './look-alikes.ts';
import { findPersonNames } from './names/find-person-names.ts';
import { type NormalisedText, normaliseCharacters, normaliseText } from './normalise-text.ts';

/** Applies every rule for this kind of field to one string; offsets refer to the string as sent. */
export function scrubText(source: string, kind: FieldKind, linkHosts: readonly string[]): Hit[] {
  if (source === '' || kind === 'closed') return [];
  const normal = normaliseText(source);
  const textOf = ({ text }: NormalisedText) => (kind === 'diff' ? withoutDiffMarks(text) : text);
  const text = textOf(normal);
  // Word rules read mixed scripts as a person does. Links stay as they are, because another letter means another host.
  const words = foldMixedWords(text);
  // A tag spelled with character references is displayed and not active, so active content is searched in the raw spelling.
  const written = normaliseCharacters(source);
  const active = findActive(written.text, textOf(written), kind);
  const hits = [
    ...findPersonalData(text, kind),
    ...findContextIdentifiers(words),
    ...(kind === 'free_text' ? [...findTraces(words), ...findSpelledPhones(words), ...findNamedSecrets(words)] : []),
    ...(kind === 'diff' || kind === 'markdown' ? findInBody(words, kind === 'diff' ? normal.text : undefined) : []),
    ...(kind === 'url' ? [...findProfiles(text), ...findPhonesInUrl(text)] : []),
    ...findNames(words).map((span) => ({ rule: 'person_name', ...span })),
    ...findInstructions(words),
    ...findInsideUrls(text, kind),
    ...findInUrls(text, kind, linkHosts),
  ];
  const hidden = [...findHiddenText(source), ...(kind === 'free_text' ? findCircledPhones(source) : [])];
  if (hits.length + active.length + hidden.length === 0) return [];
  return distinct([...hits.map((hit) => asSent(hit, normal)), ...active.map((hit) => asSent(hit, written)), ...hidden]);
}

/** A lower-case id whose hyphens stand for spaces. */
const SLUG = /^[a-z]{2,30}(?:-[a-z]{2,30}){1,8}$/;

function findNames(text: string): Span[] {
  return findPersonNames(SLUG.test(text) ? text.replaceAll('-', ' ') : text);
}

/** Identifiers first, then the rest: each number is reported once, under the most specific rule. */
function findPersonalData(text: string, kind: FieldKind): Hit[] {
  const { hits: identifiers, failed } = findIdentifiers(text);
  const addresses = findEmails(text, kind === 'url' || kind === 'path_entry');
  const secrets = [...findUrlSecrets(text), ...findApiKeys(text)];
  const found = [...identifiers, ...addresses, ...secrets];
  if (kind === 'url') return found;
  if (failed.length === 0 && !hasPhoneDigits(text)) return found;
  const masked = mask(text, [...found, ...failed]);
  const phones = findPhones(foldDigits(masked), kind === 'path_entry');
  const rest = mask(masked, [...phones.hits, ...phones.allowed]);
  const runs = [...rest.matchAll(DIGIT_RUN)].map(({ index, 0: run }) => ({ start: index, end: index + run.length }));
  return [...found, ...phones.hits, ...[...runs, ...failed].map((span) => ({ rule: 'long_digit_run', ...span }))];
}

/** Findings in percent escapes and base64; each covers the smallest encoded part that contains it. */
function findInsideUrls(text: string, kind: FieldKind): Hit[] {
  const hits: Hit[] = [];
  for (const { text: decoded, start, end } of decodeUrlParts(text, kind === 'url')) {
    const inner = normaliseText(decoded).text;
    const rules = new Set([
      ...findPersonalData(inner, kind).map(({ rule }) => rule),
      ...findPhonesInUrl(inner).map(({ rule }) => rule),
      ...(findPersonNames(inner).length > 0 ? ['person_name'] : []),
      ...findActiveContent(inner, undefined).map(({ rule }) => rule),
      ...findInstructions(inner).map(({ rule }) => rule),
    ]);
    rules.delete('long_digit_run');
    // Parts come in order, and a whole URL after its parts, so the hits inside this part are the last ones.
    for (let i = hits.length - 1; i >= 0 && (hits[i] as Hit).start >= start; i--) rules.delete((hits[i] as Hit).rule);
    for (const rule of rules) hits.push({ rule, start, end });
  }
  return hits;
}

function findActive(lines: string, text: string, kind: FieldKind): Hit[] {
  if (kind === 'markdown') return findActiveContent(text, text);
  if (kind !== 'diff') return findActiveContent(text, undefined);
  // Keep context lines, because a fence may open there; only added lines are checked as Markdown.
  const general = findActiveContent(text, undefined);
  const markdown = findActiveContent('', withoutRemovedLines(lines, text));
  return [...general, ...markdown.filter(({ start }) => lines[lines.lastIndexOf('\n', start) + 1] === '+')];
}

function withoutRemovedLines(lines: string, text: string): string {
  return text.replace(/^.*$/gm, (line, at: number) =>
    /[-@\\]/.test(lines[at] ?? ' ') ? ' '.repeat(line.length) : line,
  );
}

/** Blanks the marker column of a diff: a plus there would turn a number into a phone number. */
function withoutDiffMarks(diff: string): string {
  return diff.replace(/^[+\- ]/gm, ' ');
}

function mask(text: string, spans: readonly Span[]): string {
  let masked = '';
  let at = 0;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (end <= at) continue;
    masked += text.slice(at, Math.max(at, start)) + '\ue000'.repeat(end - Math.max(at, start));
    at = end;
  }
  return masked + text.slice(at);
}

function asSent({ rule, start, end }: Hit, normal: NormalisedText): Hit {
  return { rule, start: normal.startOf(start), end: normal.endOf(end - 1) };
}

function distinct(hits: readonly Hit[]): Hit[] {
  return [...new Map(hits.map((hit) => [`${hit.rule} ${hit.start} ${hit.end}`, hit])).values()];
}
