const VOWELS = 'aeiouy';

/** Where the region begins that follows the first consonant after a vowel, from a place on; the end of the word where there is none. */
export function regionAfter(word: string, from: number): number {
  for (let place = from + 1; place < word.length; place++) {
    if (!isVowel(word[place]) && isVowel(word[place - 1])) return place + 1;
  }
  return word.length;
}

export function isVowel(letter: string | undefined): boolean {
  return letter !== undefined && VOWELS.includes(letter);
}
