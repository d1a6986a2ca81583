/** Every limit of the scrub. */
export const SCRUB_LIMITS = {
  /** Separators between two digits of one number; more separate two numbers. */
  separatorsMax: 3,
  /** The same for phone numbers, which may contain a trunk zero in brackets. */
  phoneSeparatorsMax: 5,
  /** Groups of a number next to other numbers; alone it may be grouped in any way. */
  numberGroupsMax: 7,
  /** Minimum digits of a phone number, including its country code. */
  phoneDigitsMin: 7,
  /** Maximum digits of a phone number. */
  phoneDigitsMax: 17,
  /** Minimum length of a reported digit run. */
  digitRunMin: 8,
  /** Rounds of decoding percent escapes. */
  decodeRounds: 4,
  /** Maximum length of a URL part tried as base64. */
  base64CharsMax: 2000,
  /** Minimum length of a word that may be a key. */
  keyCharsMin: 20,
  /** Longer words count as hidden text. */
  keyCharsMax: 200,
  keyEntropyBitsMin: 3.5,
  /** Share of adjacent characters that differ in class: capital, small letter, digit. */
  keyClassChangesMin: 0.35,
  /** Maximum distance between a street and its postcode. */
  streetCharsMax: 80,
  nameWordsMax: 5,
  cueWordsMax: 4,
  /** Maximum distance of a number from the seam of two strings. */
  seamCharsMax: 24,
  /** JSON numbers from here on are checked as digits. */
  numberMin: 10_000_000,
  /** Timeout of the detectors for one item; the item is then held. */
  detectorMs: 5000,
  detectorAnswerCharsMax: 1_000_000,
} as const;
