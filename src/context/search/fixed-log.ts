const FRACTION_BITS = 16;
const MANTISSA_BITS = 30n;

/**
 * The binary logarithm of a positive integer in 1/65536, rounded down. Computed with integers only, so that it is the same
 * on every machine; `Math.log2` may differ in its last bit.
 */
export function fixedLog2(integer: number): number {
  const value = BigInt(integer);
  const whole = value.toString(2).length - 1;
  let mantissa = (value << MANTISSA_BITS) >> BigInt(whole);
  let result = whole;
  for (let bit = 0; bit < FRACTION_BITS; bit++) {
    mantissa = (mantissa * mantissa) >> MANTISSA_BITS;
    result *= 2;
    if (mantissa >> (MANTISSA_BITS + 1n) === 1n) {
      mantissa >>= 1n;
      result += 1;
    }
  }
  return result;
}
