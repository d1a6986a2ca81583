import { type Sentence, sentencesOf } from './sentences.ts';
import { isSpellingFix } from './spelling.ts';
import { type TopicFound, topicsOf } from './topic-index.ts';
import type { Topic } from './topics.ts';

/**
 * Topics of sentences that `after` has and `before` lacks, each with the words that matched. A sentence with only typing errors corrected
 * is not new if the words of its topic were there before.
 */
export function findNewTopics(before: string, after: string): Map<Topic, string> {
  const found = new Map<Topic, string>();
  if (before === after) return found;
  const [old, next] = [sentencesOf(before), sentencesOf(after)];
  const [oldKeys, nextKeys] = [new Set(old.map(({ key }) => key)), new Set(next.map(({ key }) => key))];
  const gone = old.filter(({ key }) => !nextKeys.has(key));
  const fresh = next.map((unit) => (oldKeys.has(unit.key) ? undefined : unit));
  for (const [at, unit] of fresh.entries()) {
    if (!unit) continue;
    const topics = [...newTopicsOf(unit, gone), ...topicsAcross(unit, fresh[at + 1])];
    for (const { topic, words } of topics) if (!found.has(topic)) found.set(topic, words);
  }
  return found;
}

function newTopicsOf(unit: Sentence, gone: readonly Sentence[]): TopicFound[] {
  const topics = topicsOfSentence(unit);
  if (topics.length === 0) return topics;
  const corrected = gone.find((older) => older.isCode === unit.isCode && isSpellingFix(older.words, unit.words));
  if (!corrected) return topics;
  const known = new Set(topicsOfSentence(corrected).map(({ entry }) => entry));
  return topics.filter(({ entry }) => !known.has(entry));
}

const CODE = -1;

/** The topics of one sentence, by its words alone. */
export function topicsOfSentence({ words, isCode }: Sentence): TopicFound[] {
  const topics = topicsOf(words);
  return isCode ? [...topics, { topic: 'topic_software', entry: CODE, words: 'code' }] : topics;
}

/** Topics that two new sentences only reach together, as in `Take your card. Read out its number.` */
function topicsAcross(unit: Sentence, next: Sentence | undefined): TopicFound[] {
  return next ? topicsOf([...unit.words, '', ...next.words]) : [];
}
