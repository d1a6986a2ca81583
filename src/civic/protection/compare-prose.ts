import { findNewFrames } from './find-new-frames.ts';
import { findNewTopics } from './find-topics.ts';
import type { FieldName } from './protected-fields.ts';
import { findNewRisks } from './risky-words.ts';
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
