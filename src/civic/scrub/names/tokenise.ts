import { foldName } from './places.ts';

/** A word of a text, as the name detector sees it. */
export interface Token {
  readonly text: string;
  /** For look-ups. */
  readonly fold: string;
  readonly start: number;
  readonly end: number;
  readonly capital: boolean;
  /** A single capital with a dot. */
  readonly initial: boolean;
  /** Whether only a space, an elision or the dot of an initial separates it from the previous word. */
  readonly joined: boolean;
  readonly script: 'latin' | 'cyrillic' | 'arabic';
}

/** Maximum hyphens and apostrophes inside a word. */
const SIGNS_MAX = 6;
const ELISION = /^(?:l|d|j|m|n|s|t|c|qu|jusqu|lorsqu|puisqu|quelqu)['’](?=\p{L})/iu;

/** The words of a text; `l'agent` is two words, `O'Brien` and `Jean-Marc` are one. */
export function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  let before: Token | undefined;
  const push = (word: string, start: number): void => {
    before = tokenOf(text, word, start, before);
    tokens.push(before);
  };
  for (let index = 0; index < text.length; ) {
    const end = endOfWord(text, index);
    if (end === index) {
      index++;
      continue;
    }
    const word = text.slice(index, end);
    const elision = word.includes("'") || word.includes('’') ? ELISION.exec(word)?.[0].length : undefined;
    if (elision === undefined) {
      push(word, index);
    } else {
      push(word.slice(0, elision - 1), index);
      push(word.slice(elision), index + elision);
    }
    index = end;
  }
  return tokens;
}

/** The end of the word that begins here: letters and marks with single hyphens or apostrophes between them; `start` if there is none. */
function endOfWord(text: string, start: number): number {
  let end = endOfLetters(text, start);
  if (end === start) return start;
  for (let signs = 0; signs < SIGNS_MAX; signs++) {
    const sign = text.charAt(end);
    if (sign !== '-' && sign !== "'" && sign !== '’') return end;
    const next = endOfLetters(text, end + 1);
    if (next === end + 1) return end;
    // `Kamau's` and `Lena's`: drop the possessive ending.
    if (sign !== '-' && next === end + 2 && text.charAt(end + 1) === 's') return end;
    end = next;
  }
  return end;
}

function endOfLetters(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const width = letterWidth(text, at);
    if (width === 0) break;
    at += width;
  }
  return at;
}

/** Cache by code unit: 1 is a letter or mark, 2 is neither. */
const KNOWN = new Uint8Array(0x10000);
const LETTER = /^[\p{L}\p{M}]$/u;

/** Length of the letter or mark at a position, in units; 0 if there is none. */
function letterWidth(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a ? 1 : 0;
  if (unit >= 0xd800 && unit <= 0xdfff)
    return LETTER.test(String.fromCodePoint(text.codePointAt(at) as number)) ? 2 : 0;
  if (KNOWN[unit] === 0) KNOWN[unit] = LETTER.test(String.fromCharCode(unit)) ? 1 : 2;
  return KNOWN[unit] === 1 ? 1 : 0;
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
  return before.initial && /^(?:\.[ -]?)$/.test(text.slice(before.end, start));
}
