import { foldName } from './places.ts';

/** A word of a text, as the name detector sees it. */
export interface Token {
  readonly text: string;
  /** For look-ups. */
  readonly fold: string;
  readonly start: number;
  readonly end: number;
  readonly capital: boolean;
  /** A single capital with a point. */
  readonly initial: boolean;
  /** True if only a space, an elision or the point of an initial parts it from the word before. */
  readonly joined: boolean;
  readonly script: 'latin' | 'cyrillic' | 'arabic';
}

const WORD = /[\p{L}\p{M}]+(?:[-'’][\p{L}\p{M}]+){0,6}/gu;
const ELISION = /^(?:l|d|j|m|n|s|t|c|qu|jusqu|lorsqu|puisqu|quelqu)['’](?=\p{L})/iu;

/** The words of a text; `l'agent` are two of them, `O'Brien` and `Jean-Marc` are one. */
export function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  let before: Token | undefined;
  const push = (word: string, start: number): void => {
    before = tokenOf(text, word, start, before);
    tokens.push(before);
  };
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const elision = word.includes("'") || word.includes('’') ? ELISION.exec(word)?.[0].length : undefined;
    if (elision === undefined) {
      push(word, index);
    } else {
      push(word.slice(0, elision - 1), index);
      push(word.slice(elision), index + elision);
    }
  }
  return tokens;
}

function tokenOf(text: string, word: string, start: number, before: Token | undefined): Token {
  const end = start + word.length;
  const code = word.charCodeAt(0);
  const head = word.charAt(0);
  const capital = code < 0x80 ? code < 0x5b : head !== head.toLowerCase();
  return {
    text: word,
    fold: foldName(word),
    start,
    end,
    capital,
    initial: capital && word.length === 1 && text[end] === '.',
    joined: before !== undefined && isJoined(text, before, start),
    script: code >= 0x600 && code <= 0x6ff ? 'arabic' : code >= 0x400 && code <= 0x4ff ? 'cyrillic' : 'latin',
  };
}

function isJoined(text: string, before: Token, start: number): boolean {
  const width = start - before.end;
  if (width === 1 && !before.initial) return " '’\n\t\r".includes(text.charAt(before.end));
  return before.initial && width <= 2 && /^(?:\.[ -]?)$/.test(text.slice(before.end, start));
}
