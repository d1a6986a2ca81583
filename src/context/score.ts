/** The share of words that match, computed in 32-bit floats as the format requires; 0 if there are no words. */
export function scoreOf(termMatches: number, totalWords: number): number {
  if (termMatches === 0 || totalWords === 0) return 0;
  return Math.fround(Math.fround(termMatches) / Math.fround(totalWords));
}

/** The shortest decimal text that reads back as the same 32-bit float, ties to even, with at least one fraction digit. */
export function scoreText(score: number): string {
  if (score === 0) return '0.0';
  // A tie needs an exact decimal of ten digits at most, and a fraction of 2^25 or finer, at this size, has more.
  const exact = Number.isInteger(score * 2 ** 24) ? parse(score.toExponential(100)) : undefined;
  for (let precision = 1; precision <= 9; precision++) {
    const { digits, exponent } = roundHalfEven(score, exact, precision);
    if (Math.fround(Number(`${digits}e${exponent - digits.length + 1}`)) === score) return layOut(digits, exponent);
  }
  throw new RangeError('not a 32-bit float');
}

interface Decimal {
  /** Without trailing zeros. */
  readonly digits: string;
  /** Power of ten of the first digit. */
  readonly exponent: number;
}

/** `toExponential` rounds exact ties up; here they go to the even digit. */
function roundHalfEven(value: number, exact: Decimal | undefined, precision: number): Decimal {
  const isTie = exact?.digits.length === precision + 1 && exact.digits.endsWith('5');
  const below = isTie ? exact.digits.slice(0, precision) : '';
  if (isTie && Number(below.at(-1)) % 2 === 0) return { digits: trimZeros(below), exponent: exact.exponent };
  return parse(value.toExponential(precision - 1));
}

function parse(text: string): Decimal {
  const [mantissa = '', exponent = '0'] = text.split('e');
  return { digits: trimZeros(mantissa.replace('.', '')), exponent: Number(exponent) };
}

function trimZeros(digits: string): string {
  let end = digits.length;
  while (end > 1 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

/** Plain notation from 1e-6 up, scientific below; scores never exceed 1. */
function layOut(digits: string, exponent: number): string {
  if (exponent < -6) {
    const fraction = digits.slice(1);
    return `${digits[0]}${fraction ? `.${fraction}` : ''}e${exponent}`;
  }
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${whole}.${digits.slice(exponent + 1) || '0'}`;
}
