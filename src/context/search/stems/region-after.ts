const VOWELS = 'aeiouy';

/** Start of the region after the first consonant that follows a vowel, searched from `from`; the end of the word if there is none. */
export function regionAfter(word: string, from: number): number {
  for (let place = from + 1; place < word.length; place++) {
    if (!isVowel(word[place]) && isVowel(word[place - 1])) return place + 1;
  }
  return word.length;
}

export function isVowel(letter: string | undefined): boolean {
  return letter !== undefined && VOWELS.includes(letter);
}
