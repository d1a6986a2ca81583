/** One or more of the 25 code points with the Unicode property White_Space: `\s` lacks U+0085 and has U+FEFF instead. */
const WHITE_SPACE = /[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** The lower-cased words of a text, in order and with repetitions. */
export function splitTerms(text: string): string[] {
  const pieces = text.toLowerCase().split(WHITE_SPACE);
  if (pieces[0] === '') pieces.shift();
  if (pieces.at(-1) === '') pieces.pop();
  return pieces;
}
