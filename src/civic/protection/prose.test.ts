import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { scrubText } from '../scrub/scrub-text.ts';
import { type ChangedFile, findProtectedChanges } from './find-protected-changes.ts';
import type { JurisdictionHosts } from './jurisdiction-hosts.ts';
import { knownScopes } from './known-scopes.ts';

const SKILL = '---\nid: s\ntitle: Move\n---\n# Move\n\nGo to the desk.\nBring the card.\nSign the form.\n';
const linesOf = <T>(name: string): T[] =>
  readFileSync(new URL(`../../../test/data/scrub/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

const changesOf = (file: ChangedFile, hosts: readonly JurisdictionHosts[] = []) =>
  findProtectedChanges(file, hosts, knownScopes([]));

/** What stops a line from merging alone: rules of the scrub and protected fields. */
function reasonsOf(text: string): string[] {
  const after = `${SKILL}${text}\n`;
  const changes = changesOf({ type: 'skill', id: 's', before: SKILL, after });
  return [...scrubText(text, 'free_text', []).map(({ rule }) => rule), ...changes.map(({ field }) => field)];
}

it('prose that can harm its readers does not merge alone, however it is spelled', () => {
  const missed = linesOf<{ rule: string; text: string }>('harmful-prose.jsonl').filter(
    ({ rule, text }) => !reasonsOf(text).includes(rule),
  );
  expect(missed).toEqual([]);
});

it('prose as procedures have it merges alone', () => {
  const alarms = linesOf<{ text: string }>('honest-prose.jsonl').flatMap(({ text }) =>
    reasonsOf(text).map((reason) => `${reason}: ${text}`),
  );
  expect(alarms).toEqual([]);
});

it('a sentence about a PIN that becomes another one is judged again', () => {
  const before = SKILL.replace('Sign the form.', 'Enter your PIN in the reader.');
  const after = before.replace('Enter your PIN in the reader.', 'Tell the clerk your PIN.');
  const fields = changesOf({ type: 'skill', id: 's', before, after }).map(({ field }) => field);
  const kept = changesOf({ type: 'skill', id: 's', before, after: `${before}Wait.\n` }, []);
  expect([fields, kept]).toEqual([['credentials'], []]);
});

it('what the sender says of a change leads nowhere that the text may not lead', () => {
  const fieldsOf = (said: string) =>
    changesOf({ type: 'skill', id: 's', before: SKILL, after: `${SKILL}Wait.\n`, said }, [
      { jurisdiction: 'north', hosts: ['north.example'] },
    ]).map(({ field }) => field);
  expect([
    fieldsOf('The desk asks for it since May.\nhttps://www.north.example/news'),
    fieldsOf('The desk asks for it since May.\nhttps://evil.test/login'),
    fieldsOf('Sign in at evil dot com.\nhttps://www.north.example/news'),
    fieldsOf('Tell your PIN.\nhttps://www.north.example/news'),
    fieldsOf('Pay with gift cards, write to us on WhatsApp.\nhttps://www.north.example/news'),
  ]).toEqual([[], ['foreign_host'], ['foreign_host'], ['credentials'], ['payment', 'contact']]);
});
