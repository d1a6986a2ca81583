import { normaliseText } from '../scrub/normalise-text.ts';
import { amountsOf } from './risky-words.ts';
import { foldWords, type TopicFound, topicsOf } from './topic-index.ts';
import { AMOUNT_MIN, type Topic } from './topics.ts';

/** A sentence or code block, as the unit of comparison. */
interface Unit {
  readonly words: readonly string[];
  /** Identifies the unit in another text. */
  readonly key: string;
  readonly isCode: boolean;
}

/**
 * Topics of sentences that `after` has and `before` lacks, each with the words that matched. A sentence with only typing errors corrected
 * is not new if the words of its topic were there before.
 */
export function findNewTopics(before: string, after: string): Map<Topic, string> {
  const found = new Map<Topic, string>();
  if (before === after) return found;
  const [old, next] = [unitsOf(before), unitsOf(after)];
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

function newTopicsOf(unit: Unit, gone: readonly Unit[]): TopicFound[] {
  const topics = topicsOfUnit(unit);
  if (topics.length === 0) return topics;
  const corrected = gone.find((older) => older.isCode === unit.isCode && isSpellingFix(older.words, unit.words));
  if (!corrected) return topics;
  const known = new Set(topicsOfUnit(corrected).map(({ entry }) => entry));
  return topics.filter(({ entry }) => !known.has(entry));
}

const CODE = -1;

function topicsOfUnit({ words, isCode }: Unit): TopicFound[] {
  const topics = topicsOf(words);
  return isCode ? [...topics, { topic: 'topic_software', entry: CODE, words: 'code' }] : topics;
}

/** Topics that two new sentences only reach together, as in `Take your card. Read out its number.` */
function topicsAcross(unit: Unit, next: Unit | undefined): TopicFound[] {
  return next ? topicsOf([...unit.words, '', ...next.words]) : [];
}

const FENCE = /^\s*(?:(?:[-*+>]|\d{1,9}[.)])\s*){0,5}(?:`{3,}|~{3,})/;
/** A line that starts a new block instead of continuing the previous line. */
const OWN_LINE = /^\s*(?:[-*+]\s|\d{1,9}[.)]\s|#{1,6}\s|\||>|$)/;
const SENTENCE_END = /(?<=[.!?؟;])\s+/;
/** Longer sentences are split into overlapping parts. */
const WORDS_MAX = 400;

function unitsOf(text: string): Unit[] {
  return blocksOf(text).flatMap(({ lines, isCode }) => {
    const block = lines.join('\n');
    const sentences = isCode ? [block] : block.split(SENTENCE_END);
    return sentences.flatMap((sentence) => unitsOfSentence(sentence, isCode));
  });
}

function blocksOf(text: string): { readonly lines: string[]; readonly isCode: boolean }[] {
  const blocks: { lines: string[]; isCode: boolean }[] = [];
  let isInFence = false;
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) {
      isInFence = !isInFence;
      blocks.push({ lines: [], isCode: isInFence });
    } else if (!isInFence && (blocks.length === 0 || OWN_LINE.test(line)))
      blocks.push({ lines: [line], isCode: false });
    else blocks.at(-1)?.lines.push(line);
  }
  return blocks;
}

function unitsOfSentence(sentence: string, isBlock: boolean): Unit[] {
  const words = wordsOf(normaliseText(sentence).text);
  if (words.length === 0) return [];
  const isCode = isBlock || commandIn(sentence);
  const units: Unit[] = [];
  for (let at = 0; at === 0 || at + WORDS_MAX / 2 < words.length; at += WORDS_MAX / 2) {
    const part = words.slice(at, at + WORDS_MAX);
    units.push({ words: part, key: `${isCode ? '`' : ''}${part.join(' ')}`, isCode });
  }
  return units;
}

const CODE_SPAN = /(?<!`)(`{1,2})([^`\n]{3,200})\1(?!`)/g;
/** A word like a program's name followed by others, an option, a pipe, or a path. */
const COMMAND = /^\s*(?:[$>#]\s*)?[a-z][a-z0-9._/-]*(?:\s+\S+)+\s*$|\s--?[a-z]|[|;&]\s*[a-z]|^\s*(?:\.|~)?\/\S/;

function commandIn(sentence: string): boolean {
  return [...sentence.matchAll(CODE_SPAN)].some(([, , code = '']) => COMMAND.test(code));
}

/** Link text is read together with the surrounding words; link titles follow at the end. */
const LINK_SYNTAX = /!?\[([^[\]\n]{0,200})\](?:\(([^()\n]{0,2000})\)|\[([^[\]\n]{0,200})\])/g;
const WORD = /[\p{L}\p{M}\p{N}$@|]+/gu;
const LINE_END = /([\p{L}\p{M}]{1,40})-?[^\S\n]*\n\s*([\p{L}\p{M}]{1,40})/gu;

function wordsOf(sentence: string): string[] {
  const targets: string[] = [];
  const shown = sentence
    .replace(LINK_SYNTAX, (_, words: string, target = '') => {
      if (/\s/.test(target)) targets.push(target.replace(/^\S+\s/, ''));
      return words;
    })
    .replace(/[*`~\\]/g, '');
  const joined = [...shown.matchAll(LINE_END)].map(([, end, start]) => `${end}${start}`);
  const words = splitWords([shown, ...targets, ...joined].join('\n'));
  return amountsOf(sentence).some((amount) => amount >= AMOUNT_MIN) ? [...words, '#amount'] : words;
}

function splitWords(text: string): string[] {
  return foldWords(text).match(WORD) ?? [];
}

/** Whether two word lists differ only in typing errors. */
function isSpellingFix(old: readonly string[], next: readonly string[]): boolean {
  return old.length === next.length && old.every((word, at) => isNearWord(word, next[at] as string));
}

/** Minimum word length to tolerate one error, and two. */
const ONE_ERROR_CHARS_MIN = 4;
const TWO_ERRORS_CHARS_MIN = 9;

function isNearWord(a: string, b: string): boolean {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  // Numbers must match, and so must the first letter: `never` and `ever` mean the opposite.
  if (shorter < ONE_ERROR_CHARS_MIN || a[0] !== b[0] || /\d/.test(a + b)) return false;
  return errorsBetween(a, b) <= (shorter < TWO_ERRORS_CHARS_MIN ? 1 : 2);
}

/** Edit distance: missing, extra, different or swapped letters. */
function errorsBetween(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (isSame ? 0 : 1),
        swapped ? (before[j - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length] as number;
}
