import { normaliseText } from '../scrub/normalise-text.ts';
import { topicsOfSentence } from './find-topics.ts';
import { asksForMoney, asksForSecrets } from './risky-words.ts';
import { blocksOf, headingLevel, type Sentence, sentencesOfBlock } from './sentences.ts';
import { isSpellingFix } from './spelling.ts';
import { SHARPER_FIELD, type Topic } from './topics.ts';
import { isWarning, turnsRound } from './warnings.ts';

/** What stands around a sentence and decides how readers take it. Each part is a list of words. */
interface Frame {
  /** The headings above it. */
  readonly headings: readonly string[];
  /** The line that introduces its list or quote. */
  readonly intro: readonly string[];
  /** Marks of quotes and lists before it. */
  readonly nesting: readonly string[];
  readonly previous: readonly string[];
  readonly next: readonly string[];
}

interface Framed {
  readonly sentence: Sentence;
  readonly frame: Frame;
  /** The sections that contain it, the outermost first. */
  readonly sections: readonly Section[];
}

interface Section {
  readonly level: number;
  /** The words of its heading. */
  readonly words: readonly string[];
  /** Its sentences, without those of sections within it. */
  readonly sentences: Sentence[];
}

type SensitiveField = Topic | 'credentials' | 'payment';

/**
 * The fields of sentences that stay as they are while what stands around them changes: `Never do what these calls ask:` is what makes the list
 * below it a warning. Each comes with the sentence. Corrected typing errors change nothing.
 */
export function findNewFrames(before: string, after: string): Map<SensitiveField, string> {
  const found = new Map<SensitiveField, string>();
  if (before === after) return found;
  const known = new Map<string, Frame[]>();
  const old = framedSentences(before);
  for (const { sentence, frame } of old) {
    const frames = known.get(sentence.key) ?? [];
    known.set(sentence.key, frames);
    if (frames.length < FRAMES_MAX) frames.push(frame);
  }
  const next = framedSentences(after);
  const newLeadOf = newLeads(old, next);
  for (const { sentence, frame, sections } of next) {
    const frames = known.get(sentence.key);
    if (!frames) continue;
    const isSame = frames.some((older) => isSameFrame(older, frame));
    const turned = isSame ? newLeadOf(sections) : undefined;
    if (isSame && !(turned && frames.some((older) => isFramedAsWarning(sentence, older, turned)))) continue;
    // Once is enough.
    known.delete(sentence.key);
    for (const field of fieldsOf(sentence)) {
      if (!found.has(field)) found.set(field, `what stands around “${asWritten(sentence)}”`);
    }
  }
  return found;
}

/** The fields of sentences in a text that are a warning, as of `Never tell your PIN.`, each with the sentence. */
export function findWarnings(text: string): Map<SensitiveField, string> {
  const found = new Map<SensitiveField, string>();
  for (const { sentence, frame } of framedSentences(text)) {
    const fields = fieldsOf(sentence).filter((field) => !found.has(field));
    if (fields.length === 0 || !isFramedAsWarning(sentence, frame)) continue;
    for (const field of fields) found.set(field, `what stands above “${asWritten(sentence)}”`);
  }
  return found;
}

function isFramedAsWarning(
  { words }: Sentence,
  { headings, intro, previous, next }: Frame,
  strength: 'any' | 'strong' = 'any',
): boolean {
  return [words, headings, intro, previous, next].some((part) => isWarning(part, strength));
}

/** Comparisons with sentences that are gone; in a change that needs more, all other sentences count as new. */
const CORRECTED_STEPS_MAX = 200_000;

/**
 * Tells which warnings of a section a new sentence turns round, above the first sensitive sentence or at the beginning of a section that
 * contains it: any of them if it says so, as `All that follows is out of date.`; strong ones whatever it says.
 */
function newLeads(
  old: readonly Framed[],
  next: readonly Framed[],
): (sections: readonly Section[]) => 'any' | 'strong' | undefined {
  const [known, kept] = [old, next].map((all) => new Set(all.map(({ sentence }) => sentence.key))) as [
    Set<string>,
    Set<string>,
  ];
  const gone = old.filter(({ sentence }) => !kept.has(sentence.key));
  let steps = 0;
  const isNew = ({ key, words }: Sentence): boolean => {
    if (known.has(key)) return false;
    steps += gone.length;
    return steps > CORRECTED_STEPS_MAX || !gone.some(({ sentence }) => isSpellingFix(sentence.words, words));
  };
  const hasNew = remembered((section: Section) => section.sentences.some(isNew));
  const isTurn = (sentence: Sentence) => turnsRound(sentence.words) && isNew(sentence);
  const leadOf = ({ sentences }: Section) =>
    sentences.slice(
      0,
      sentences.findIndex((sentence) => fieldsOf(sentence).length > 0),
    );
  const hasNewLead = remembered((section: Section) => leadOf(section).some(isNew));
  const hasTurnedLead = remembered((section: Section) => leadOf(section).some(isTurn));
  const hasTurn = remembered((section: Section) => section.sentences.some(isTurn));
  return (sections) => {
    const [own, ...outer] = sections.toReversed();
    if ((own && hasTurnedLead(own)) || outer.some(hasTurn)) return 'any';
    return (own && hasNewLead(own)) || outer.some(hasNew) ? 'strong' : undefined;
  };
}

function remembered<T extends object>(judge: (one: T) => boolean): (one: T) => boolean {
  const judged = new Map<T, boolean>();
  return (one) => {
    const result = judged.get(one) ?? judge(one);
    judged.set(one, result);
    return result;
  };
}

const QUOTED_CHARS = 60;

/** The beginning of a sentence on one line, without the marks of its list or quote. */
function asWritten({ text }: Sentence): string {
  const line = normaliseText(text).text.replace(MARKS, '').replaceAll(/\s+/g, ' ').trim();
  return [...line].slice(0, QUOTED_CHARS).join('');
}

const MARKS = /^(?:[\s>*+-]|\d{1,9}[.)]\s)+/;
/** Places of one sentence that are kept: at further ones it is judged again. */
const FRAMES_MAX = 20;

function fieldsOf(sentence: Sentence): SensitiveField[] {
  const risks: SensitiveField[] = [];
  if (asksForSecrets(sentence.text)) risks.push('credentials');
  if (asksForMoney(sentence.text)) risks.push('payment');
  const topics = topicsOfSentence(sentence).map(({ topic }) => topic);
  return [...risks, ...topics.filter((topic) => !risks.includes(SHARPER_FIELD[topic] ?? topic))];
}

/** The shortest first: headings can be long. */
const FRAME_PARTS = ['nesting', 'previous', 'next', 'intro', 'headings'] as const;

function isSameFrame(old: Frame, next: Frame): boolean {
  return FRAME_PARTS.every((part) => isSpellingFix(old[part], next[part]) || isPlainNeighbour(part, old, next));
}

/** Most neighbours do not change what a sentence means: `Keep the receipt.` Only warnings and reversals do. */
function isPlainNeighbour(part: (typeof FRAME_PARTS)[number], old: Frame, next: Frame): boolean {
  if (part !== 'previous' && part !== 'next') return false;
  return !isWarning(old[part], 'any') && !isWarning(next[part], 'strong') && !turnsRound(next[part]);
}

const NESTING = /^(?:\s|>|[-*+](?=\s)|\d{1,9}[.)](?=\s))*/;
/** Columns of indentation that make a line part of a list item. */
const INDENT = 2;

interface Reading {
  sections: readonly Section[];
  /** The words of all headings above. */
  headings: readonly string[];
  /** The last sentence outside of lists and quotes. */
  intro: readonly string[];
  previous: readonly string[];
}

function framedSentences(text: string): Framed[] {
  const framed: Framed[] = [];
  const reading: Reading = {
    sections: [{ level: 0, words: [], sentences: [] }],
    headings: [],
    intro: [],
    previous: [],
  };
  for (const block of blocksOf(text)) {
    const sentences = sentencesOfBlock(block);
    const level = block.isCode ? undefined : headingLevel(block.lines);
    if (level !== undefined) {
      startSection(reading, level, sentences);
      continue;
    }
    const nesting = nestingOf(block.lines[0] ?? '');
    for (const sentence of sentences) {
      const { headings, previous, sections } = reading;
      const intro = nesting.length > 0 ? reading.intro : [];
      const frame = { headings, intro, nesting, previous, next: [] };
      framed.push({ sentence, frame, sections });
      sections.at(-1)?.sentences.push(sentence);
      reading.previous = sentence.words;
      if (nesting.length === 0) reading.intro = sentence.words;
    }
  }
  return framed.map((one, at) => {
    const after = framed[at + 1];
    // A heading ends what stands around a sentence.
    const next = after?.sections === one.sections ? after.sentence.words : [];
    return { ...one, frame: { ...one.frame, next } };
  });
}

function startSection(reading: Reading, level: number, sentences: readonly Sentence[]): void {
  const words = sentences.flatMap((sentence) => sentence.words);
  reading.sections = [...reading.sections.filter((above) => above.level < level), { level, words, sentences: [] }];
  reading.headings = reading.sections.flatMap((above) => above.words);
  reading.intro = [];
  reading.previous = [];
}

/** One mark per level; list items of any kind are alike. */
function nestingOf(line: string): string[] {
  const marks = NESTING.exec(line)?.[0] ?? '';
  const indent = /^\s*/.exec(marks)?.[0].length ?? 0;
  const signs = marks.match(/>|[-*+]|\d+[.)]/g) ?? [];
  return [...Array<string>(Math.floor(indent / INDENT)).fill(' '), ...signs.map((sign) => (sign === '>' ? '>' : '-'))];
}
