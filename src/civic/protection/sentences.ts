import { normaliseText } from '../scrub/normalise-text.ts';
import { amountsOf } from './risky-words.ts';
import { foldWords } from './topic-index.ts';
import { AMOUNT_MIN } from './topics.ts';

/** A sentence or code block, as the unit of comparison. */
export interface Sentence {
  /** As written. */
  readonly text: string;
  readonly words: readonly string[];
  /** Identifies the sentence in another text. */
  readonly key: string;
  readonly isCode: boolean;
}

interface Block {
  readonly lines: readonly string[];
  readonly isCode: boolean;
}

const FENCE = /^\s*(?:(?:[-*+>]|\d{1,9}[.)])\s*){0,5}(?:`{3,}|~{3,})/;
/** A line that starts a new block instead of continuing the previous line. */
const OWN_LINE = /^\s*(?:[-*+]\s|\d{1,9}[.)]\s|#{1,6}\s|\||>|$)/;
const SENTENCE_END = /(?<=[.!?؟;])\s+/;
/** Longer sentences are split into overlapping parts. */
const WORDS_MAX = 400;

/** The sentences and code blocks of a text, in order. */
export function sentencesOf(text: string): Sentence[] {
  return blocksOf(text).flatMap(sentencesOfBlock);
}

export function sentencesOfBlock({ lines, isCode }: Block): Sentence[] {
  const block = lines.join('\n');
  const sentences = isCode ? [block] : block.split(SENTENCE_END);
  return sentences.flatMap((sentence) => partsOf(sentence, isCode));
}

/** Paragraphs, list items, headings, lines of quotes and blocks of code. */
export function blocksOf(text: string): Block[] {
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

const HEADING = /^\s{0,3}(#{1,6})\s/;
const UNDERLINE = /^\s{0,3}(=+|-+)\s*$/;

/** The level of a heading; undefined for other lines. */
export function headingLevel(lines: readonly string[]): number | undefined {
  const marks = HEADING.exec(lines[0] ?? '')?.[1];
  if (marks !== undefined) return marks.length;
  const line = lines.length > 1 ? UNDERLINE.exec(lines.at(-1) ?? '')?.[1] : undefined;
  return line === undefined ? undefined : line.startsWith('=') ? 1 : 2;
}

function partsOf(sentence: string, isBlock: boolean): Sentence[] {
  const words = wordsOf(normaliseText(sentence).text);
  if (words.length === 0) return [];
  const isCode = isBlock || commandIn(sentence);
  const parts: Sentence[] = [];
  for (let at = 0; at === 0 || at + WORDS_MAX / 2 < words.length; at += WORDS_MAX / 2) {
    const part = words.slice(at, at + WORDS_MAX);
    parts.push({ text: sentence, words: part, key: `${isCode ? '`' : ''}${part.join(' ')}`, isCode });
  }
  return parts;
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

/** A sentence or comment that begins by calling agents, as in `Agents: do it.` */
const ADDRESSED =
  /(?:^|["“«„([*_`~>]|--|(?<!\p{L})(?:ai|dear))\s{0,3}(?:agents?|agenten|assistants?|assistent(?:en)?|users?|utilisateurs?|gebruikers?|nutzer|benutzer)[*_`~]{0,3}\s{0,3}[:,!]/u;

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
  if (amountsOf(sentence).some((amount) => amount >= AMOUNT_MIN)) words.push('#amount');
  if (ADDRESSED.test(foldWords(sentence))) words.push('#addressed');
  return words;
}

function splitWords(text: string): string[] {
  return foldWords(text).match(WORD) ?? [];
}
