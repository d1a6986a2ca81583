import { foldName } from './places.ts';

/** A word of a text, as the name detector sees it. */
export interface Token {
  readonly text: string;
  /** For look-ups. */
  readonly fold: string;
  readonly start: number;
  readonly end: number;
  readonly capital: boolean;
  readonly allCaps: boolean;
  /** A single capital with a point. */
  readonly initial: boolean;
  /** True if only a space, an elision or the point of an initial parts it from the word before. */
  readonly joined: boolean;
  readonly script: 'latin' | 'cyrillic' | 'arabic';
}

const WORD = /[\p{L}\p{M}]+(?:[-'’][\p{L}\p{M}]+)*/gu;
const ELISION = /^(?:l|d|j|m|n|s|t|c|qu|jusqu|lorsqu|puisqu|quelqu)['’](?=\p{L})/iu;

/** The words of a text; `l'agent` are two of them, `O'Brien` and `Jean-Marc` are one. */
export function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(WORD)) {
    const word = match[0];
    const elision = word.includes("'") || word.includes('’') ? ELISION.exec(word)?.[0].length : undefined;
    if (elision === undefined) {
      tokens.push(tokenOf(text, word, match.index, tokens.at(-1)));
      continue;
    }
    tokens.push(tokenOf(text, word.slice(0, elision - 1), match.index, tokens.at(-1)));
    tokens.push(tokenOf(text, word.slice(elision), match.index + elision, tokens.at(-1)));
  }
  return tokens;
}

function tokenOf(text: string, word: string, start: number, before: Token | undefined): Token {
  const end = start + word.length;
  const head = word[0] as string;
  const capital = head !== head.toLowerCase();
  const gap = before ? text.slice(before.end, start) : '';
  const code = word.charCodeAt(0);
  return {
    text: word,
    fold: foldName(word),
    start,
    end,
    capital,
    allCaps: capital && word.length > 1 && word === word.toUpperCase(),
    initial: capital && word.length === 1 && text[end] === '.',
    joined: before !== undefined && (/^(?: |['’]|\s)$/.test(gap) || (before.initial && /^\.[ -]?$/.test(gap))),
    script: code >= 0x600 && code <= 0x6ff ? 'arabic' : code >= 0x400 && code <= 0x4ff ? 'cyrillic' : 'latin',
  };
}
