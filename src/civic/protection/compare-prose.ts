import { findNewFrames, findWarnings } from './find-new-frames.ts';
import { findNewTopics } from './find-topics.ts';
import type { FieldName } from './protected-fields.ts';
import { findNewRisks } from './risky-words.ts';
import { sentencesOf } from './sentences.ts';
import { isSpellingFix } from './spelling.ts';
import { SHARPER_FIELD } from './topics.ts';

type Add = (field: FieldName, what?: string) => void;

/** Topics of new sentences, unless a sharper field was found already. */
export function compareTopics(before: string, after: string, found: ReadonlyMap<FieldName, unknown>, add: Add): void {
  for (const [topic, words] of findNewTopics(before, after)) {
    const sharper = SHARPER_FIELD[topic];
    if (sharper === undefined || !found.has(sharper)) add(topic, words);
  }
}

/** Harmful requests in new sentences. */
export function compareRisks(before: string, after: string, add: Add): void {
  const { credentials, payment } = findNewRisks(before, after);
  if (credentials) add('credentials');
  if (payment) add('payment');
}

/** What changes around sentences that stay as they are, by the rows of these sentences. */
export function compareFrames(before: string, after: string, add: Add): void {
  for (const [field, what] of findNewFrames(before, after)) add(field, what);
}

/** A title or summary that stands above the warnings of a body and is no longer the same, by the rows of these warnings. */
export function compareTitles(before: readonly string[], after: readonly string[], body: string, add: Add): void {
  const [old, next] = [before, after].map((titles) => sentencesOf(titles.join('\n\n')).flatMap(({ words }) => words));
  if (isSpellingFix(old as string[], next as string[])) return;
  for (const [field, what] of findWarnings(body)) add(field, what);
}
