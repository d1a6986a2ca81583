/** A word of a text: lower case, without accents. Scripts without spaces are split into pairs of characters. */
export interface Word {
  readonly text: string;
  /** Position among the words of the text; the parts of one identifier follow each other. */
  readonly position: number;
  /** True for a whole identifier whose parts are also words, and for pairs of characters. */
  readonly compound: boolean;
}

const RUNS =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+)|[\p{L}\p{N}]+(?:['’](?=\p{L})\p{L}+)?/gu;
/** A much faster path for ASCII texts, which are the most common. */
const ASCII = /^[\u0000-\u007f]*$/;
const ASCII_RUNS = /[A-Za-z0-9]+(?:'(?=[A-Za-z])[A-Za-z]+)?/g;
const ASCII_PARTS = /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g;
const ONE_PART = /^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$/;
const PARTS = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}]+|\p{Lu}+|\p{N}+/gu;

/** Splits a text into words; identifiers (camelCase, snake_case, digits) yield their parts and the whole. */
export function splitWords(text: string): Word[] {
  return ASCII.test(text) ? splitAscii(text) : splitUnicode(text);
}

function splitAscii(text: string): Word[] {
  const words: Word[] = [];
  let position = 0;
  for (const match of text.match(ASCII_RUNS) ?? []) {
    const apostrophe = match.indexOf("'");
    const run = apostrophe < 0 ? match : match.slice(0, apostrophe);
    if (ONE_PART.test(run)) {
      words.push({ text: run.toLowerCase(), position: position++, compound: false });
      continue;
    }
    words.push({ text: run.toLowerCase(), position, compound: true });
    for (const part of run.match(ASCII_PARTS) ?? [])
      words.push({ text: part.toLowerCase(), position: position++, compound: false });
  }
  return words;
}

function splitUnicode(text: string): Word[] {
  const words: Word[] = [];
  let position = 0;
  for (const match of text.normalize('NFKC').matchAll(RUNS)) {
    if (match[1] !== undefined) {
      for (const pair of characterPairs(match[1])) words.push({ text: pair, position: position++, compound: true });
      continue;
    }
    const run = match[0].replace(/['’].*$/u, '');
    const parts = run.match(PARTS) ?? [run];
    if (parts.length > 1) words.push({ text: plain(run), position, compound: true });
    for (const part of parts) words.push({ text: plain(part), position: position++, compound: false });
  }
  return words;
}

function characterPairs(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

function plain(word: string): string {
  return word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}
