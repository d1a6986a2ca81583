/** Every number that the scrub decides by. */
export const SCRUB_LIMITS = {
  /** Separators between two digits of one number; more, and they are two numbers. */
  separatorsMax: 3,
  /** The same for phone numbers, where a trunk zero in brackets may stand between. */
  phoneSeparatorsMax: 5,
  /** Groups in which a number is recognised beside other numbers; alone it may be parted anywhere. */
  numberGroupsMax: 7,
  /** Shortest phone number, its country code included. */
  phoneDigitsMin: 7,
  /** Longest one. */
  phoneDigitsMax: 17,
  /** Shortest run of digits that is worth a word. */
  digitRunMin: 8,
  /** Times that percent escapes are decoded. */
  decodeRounds: 2,
  /** Longest piece of a URL that is tried as base64. */
  base64CharsMax: 2000,
  /** Words without spaces from this length on may be keys. */
  keyCharsMin: 20,
  /** And above this length they are hidden text. */
  keyCharsMax: 200,
  keyEntropyBitsMin: 3.5,
  /** Share of neighbouring characters that differ in class: capital, small letter, digit. */
  keyClassChangesMin: 0.35,
  /** How far before a postcode its street may stand. */
  streetCharsMax: 80,
  nameWordsMax: 5,
  cueWordsMax: 4,
  /** How near the seam of two strings a number must stand to be sought across it. */
  seamCharsMax: 24,
  /** Numbers of a JSON value from here on are read as digits. */
  numberMin: 10_000_000,
  /** How long detectors beside the rules may take for one item; longer, and it is held. */
  detectorMs: 5000,
  detectorAnswerCharsMax: 1_000_000,
} as const;
