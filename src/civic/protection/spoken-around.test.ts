import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scrubText } from '../scrub/scrub-text.ts';
import { findProtectedChanges } from './find-protected-changes.ts';
import { knownScopes } from './known-scopes.ts';

const SKILL = '---\nid: s\ntitle: Move\n---\n# Move\n\nGo to the desk.\n';

interface Sentence {
  readonly language: string;
  readonly kind: string;
  readonly text: string;
}

const sentences = readFileSync(new URL('../../../test/data/scrub/spoken-around.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Sentence);

/** Rules that answer each kind; a topic alone is not enough. */
const RULES: Readonly<Record<string, string>> = {
  phone: 'spelled_phone',
  card: 'credentials',
  host: 'foreign_host',
  order: 'injection_pattern',
  birth: 'birth_date',
};

function reasonsOf(text: string): string[] {
  const after = `${SKILL}${text}\n`;
  const changes = findProtectedChanges({ type: 'skill', id: 's', before: SKILL, after }, [], knownScopes([]));
  return [...scrubText(text, 'free_text', []).map(({ rule }) => rule), ...changes.map(({ field }) => field)];
}

it('numbers, hosts and orders that are said in words are found in the six languages', () => {
  const missed = sentences.filter(
    ({ kind, text }) => kind !== 'honest' && !reasonsOf(text).includes(RULES[kind] as string),
  );
  expect(missed).toEqual([]);
});

it('sentences of procedures with the same words pass', () => {
  const alarms = sentences.flatMap(({ kind, text }) =>
    kind === 'honest'
      ? reasonsOf(text).flatMap((one) => (one.startsWith('topic_') || one === 'number' ? [] : [`${one}: ${text}`]))
      : [],
  );
  expect(alarms).toEqual([]);
});

it('a link and a number in hexadecimal digits are found', () => {
  const hex = (text: string) => Buffer.from(text).toString('hex');
  const rulesIn = (text: string) => reasonsOf(text).filter((rule) => rule !== 'long_digit_run');
  expect([
    rulesIn(hex('https://evil.com')),
    rulesIn(hex('0475 12 34 56')),
    rulesIn('2ba905799daa89653396a7e7148ce92fb2505c3e'),
  ]).toEqual([['foreign_host'], ['belgian_national_phone'], []]);
});
