/** Valid numbers for tests, generated independently of the code that recognises them. */
export type Random = () => number;

/** A small seeded generator, so that every run sees the same numbers. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomDigits(random: Random, count: number): string {
  return Array.from({ length: count }, () => Math.floor(random() * 10)).join('');
}

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
const two = (value: number | bigint): string => String(value).padStart(2, '0');
const between = (random: Random, low: number, high: number): number => low + Math.floor(random() * (high - low + 1));

export interface NumberKind {
  readonly rule: string;
  readonly length: number;
  /** Usual group lengths. */
  readonly shape: readonly number[];
  readonly separators: readonly string[];
  /** Words that must precede it. */
  readonly cue: string;
  generate(random: Random): string;
}

/** A card number with the given prefix; tries all ten last digits. */
function card(random: Random, prefix: string, length: number): string {
  const body = prefix + randomDigits(random, length - prefix.length - 1);
  for (let check = 0; check < 10; check++) {
    const digits = [...`${body}${check}`].map(Number).reverse();
    const sum = digits.flatMap((digit, i) => (i % 2 === 1 ? [...String(digit * 2)].map(Number) : [digit]));
    if (sum.reduce((a, b) => a + b) % 10 === 0) return `${body}${check}`;
  }
  throw new Error('one of ten digits always fits');
}

function bsn(random: Random): string {
  for (;;) {
    const digits = [...`${between(random, 1, 9)}${randomDigits(random, 8)}`].map(Number);
    const weighted = digits.map((digit, i) => digit * (i === 8 ? -1 : 9 - i)).reduce((a, b) => a + b);
    if (weighted % 11 === 0) return digits.join('');
  }
}

export const NUMBER_KINDS: readonly NumberKind[] = [
  {
    rule: 'belgian_nrn',
    length: 11,
    shape: [2, 2, 2, 3, 2],
    separators: ['.', '.', '-', '.'],
    cue: '',
    generate(random) {
      const young = random() < 0.3;
      const year = two(young ? between(random, 0, 25) : between(random, 30, 99));
      const month = two(between(random, 1, 12) + pick(random, [0, 0, 20, 40]));
      const body = year + month + two(between(random, 1, 28)) + String(between(random, 1, 997)).padStart(3, '0');
      return body + two(97n - (BigInt(young ? `2${body}` : body) % 97n));
    },
  },
  {
    rule: 'be_id_card_number',
    length: 12,
    shape: [3, 7, 2],
    separators: ['-', '-'],
    cue: '',
    generate(random) {
      const body = `59${randomDigits(random, 8)}`;
      return body + two(BigInt(body) % 97n || 97n);
    },
  },
  {
    rule: 'structured_communication',
    length: 12,
    shape: [3, 4, 5],
    separators: ['/', '/'],
    cue: '+++',
    generate(random) {
      const body = randomDigits(random, 10);
      return body + two(BigInt(body) % 97n || 97n);
    },
  },
  {
    rule: 'payment_card',
    length: 16,
    shape: [4, 4, 4, 4],
    separators: [' ', ' ', ' '],
    cue: '',
    generate: (random) => card(random, pick(random, ['4', '51', '55', '2221', '6011', '67']), 16),
  },
  {
    rule: 'french_nir',
    length: 15,
    shape: [1, 2, 2, 2, 3, 3, 2],
    separators: [' ', ' ', ' ', ' ', ' ', ' '],
    cue: '',
    generate(random) {
      const place = two(between(random, 1, 95)) + String(between(random, 1, 989)).padStart(3, '0');
      const body =
        pick(random, ['1', '2']) +
        randomDigits(random, 2) +
        two(between(random, 1, 12)) +
        place +
        randomDigits(random, 3);
      return body + two(97n - (BigInt(body) % 97n));
    },
  },
  { rule: 'nl_bsn', length: 9, shape: [4, 2, 3], separators: ['.', '.'], cue: 'BSN: ', generate: bsn },
];

/** An IBAN; its check digits are computed by long division. */
export function randomIban(random: Random): string {
  const [country, bban] = pick(random, [
    ['BE', randomDigits(random, 12)],
    ['DE', randomDigits(random, 18)],
    ['NL', `ABNA${randomDigits(random, 10)}`],
    ['FR', `${randomDigits(random, 10)}A${randomDigits(random, 12)}`],
    ['LU', randomDigits(random, 16)],
    ['GB', `NWBK${randomDigits(random, 14)}`],
  ] as const);
  const digits = [...`${bban}${country}00`].map((char) => String(Number.parseInt(char, 36))).join('');
  return `${country}${two(98n - (BigInt(digits) % 97n))}${bban}`;
}

/** The number as people write it. */
export function written(digits: string, { shape, separators }: Pick<NumberKind, 'shape' | 'separators'>): string {
  let at = 0;
  return shape
    .map((length, i) => {
      at += length;
      return digits.slice(at - length, at) + (separators[i] ?? '');
    })
    .join('');
}
