/** Letters that are often interchanged in writing. */
const FOLDED: ReadonlyMap<number, string> = new Map(
  ['أا', 'إا', 'آا', 'ٱا', 'ىي', 'ةه', 'ؤو', 'ئي'].map((pair) => [pair.charCodeAt(0), pair.charAt(1)]),
);

/** An Arabic word without vowel signs and lengthening strokes, and with interchangeable letters unified. */
export function foldArabic(word: string): string {
  let fold = '';
  let done = 0;
  for (let at = 0; at < word.length; at++) {
    const unit = word.charCodeAt(at);
    const letter = isSign(unit) ? '' : FOLDED.get(unit);
    if (letter === undefined) continue;
    fold += word.slice(done, at) + letter;
    done = at + 1;
  }
  return done === 0 ? word : fold + word.slice(done);
}

/** Vowel signs and the lengthening stroke. */
function isSign(unit: number): boolean {
  return unit === 0x640 || (unit >= 0x64b && unit <= 0x65f) || unit === 0x670;
}

/** A set of folded words; `_` stands for a space, which is dropped. */
export function arabicSet(words: string): ReadonlySet<string> {
  return new Set(
    words
      .trim()
      .split(/\s+/)
      .map((word) => foldArabic(word.replaceAll('_', ''))),
  );
}
