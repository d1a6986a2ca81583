import { normaliseText } from '../scrub/normalise-text.ts';
import { topicsOfSentence } from './find-topics.ts';
import { asksForMoney, asksForSecrets } from './risky-words.ts';
import { blocksOf, type Sentence, sentencesOfBlock } from './sentences.ts';
import { isSpellingFix } from './spelling.ts';
import { SHARPER_FIELD, type Topic } from './topics.ts';

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
  for (const { sentence, frame } of framedSentences(before)) {
    const frames = known.get(sentence.key) ?? [];
    known.set(sentence.key, frames);
    if (frames.length < FRAMES_MAX) frames.push(frame);
  }
  for (const { sentence, frame } of framedSentences(after)) {
    const frames = known.get(sentence.key);
    if (!frames || frames.some((older) => isSameFrame(older, frame))) continue;
    // Once is enough.
    known.delete(sentence.key);
    for (const field of fieldsOf(sentence)) {
      if (!found.has(field)) found.set(field, `what stands around “${asWritten(sentence)}”`);
    }
  }
  return found;
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
  return FRAME_PARTS.every((part) => isSpellingFix(old[part], next[part]));
}

const HEADING = /^\s{0,3}(#{1,6})\s/;
const UNDERLINE = /^\s{0,3}(=+|-+)\s*$/;
const NESTING = /^(?:\s|>|[-*+](?=\s)|\d{1,9}[.)](?=\s))*/;
/** Columns of indentation that make a line part of a list item. */
const INDENT = 2;

interface Reading {
  sections: { readonly level: number; readonly words: readonly string[] }[];
  /** The words of all headings above. */
  headings: readonly string[];
  /** The last sentence outside of lists and quotes. */
  intro: readonly string[];
  previous: readonly string[];
}

function framedSentences(text: string): Framed[] {
  const framed: (Framed & { readonly section: number })[] = [];
  let section = 0;
  const reading: Reading = { sections: [], headings: [], intro: [], previous: [] };
  for (const block of blocksOf(text)) {
    const sentences = sentencesOfBlock(block);
    const level = block.isCode ? undefined : headingLevel(block.lines);
    if (level !== undefined) {
      startSection(reading, level, sentences);
      section++;
      continue;
    }
    const nesting = nestingOf(block.lines[0] ?? '');
    for (const sentence of sentences) {
      const { headings, previous } = reading;
      const intro = nesting.length > 0 ? reading.intro : [];
      const frame = { headings, intro, nesting, previous, next: [] };
      framed.push({ sentence, frame, section });
      reading.previous = sentence.words;
      if (nesting.length === 0) reading.intro = sentence.words;
    }
  }
  return framed.map(({ sentence, frame, section }, at) => {
    const after = framed[at + 1];
    // A heading ends what stands around a sentence.
    const next = after?.section === section ? after.sentence.words : [];
    return { sentence, frame: { ...frame, next } };
  });
}

function startSection(reading: Reading, level: number, sentences: readonly Sentence[]): void {
  const words = sentences.flatMap((sentence) => sentence.words);
  reading.sections = [...reading.sections.filter((above) => above.level < level), { level, words }];
  reading.headings = reading.sections.flatMap((above) => above.words);
  reading.intro = [];
  reading.previous = [];
}

function headingLevel(lines: readonly string[]): number | undefined {
  const marks = HEADING.exec(lines[0] ?? '')?.[1];
  if (marks !== undefined) return marks.length;
  const line = lines.length > 1 ? UNDERLINE.exec(lines.at(-1) ?? '')?.[1] : undefined;
  return line === undefined ? undefined : line.startsWith('=') ? 1 : 2;
}

/** One mark per level; list items of any kind are alike. */
function nestingOf(line: string): string[] {
  const marks = NESTING.exec(line)?.[0] ?? '';
  const indent = /^\s*/.exec(marks)?.[0].length ?? 0;
  const signs = marks.match(/>|[-*+]|\d+[.)]/g) ?? [];
  return [...Array<string>(Math.floor(indent / INDENT)).fill(' '), ...signs.map((sign) => (sign === '>' ? '>' : '-'))];
}
