/** The scale of logarithms: results are in units of 1/256. */
export const LOG_ONE = 256;

/** The binary logarithm of an integer from 1 to 2^52, in units of 1/256, with integer arithmetic only. */
export function fixedLog2(value: number): number {
  let whole = 0;
  let mantissa = value;
  while (mantissa >= 2 * MANTISSA_ONE) {
    mantissa = Math.floor(mantissa / 2);
    whole += 1;
  }
  while (mantissa < MANTISSA_ONE) {
    mantissa *= 2;
    whole -= 1;
  }
  let result = (whole + 24) * LOG_ONE;
  for (let bit = LOG_ONE / 2; bit >= 1; bit /= 2) {
    mantissa = Math.floor((mantissa * mantissa) / MANTISSA_ONE);
    if (mantissa >= 2 * MANTISSA_ONE) {
      mantissa = Math.floor(mantissa / 2);
      result += bit;
    }
  }
  return result;
}

/** How rare a term is: log2((N + 1) / (df + 1/2)) in units of 1/256, never below zero. */
export function inverseDocumentFrequency(documents: number, documentsWithTerm: number): number {
  return Math.max(0, fixedLog2(2 * documents + 2) - fixedLog2(2 * documentsWithTerm + 1));
}

const MANTISSA_ONE = 2 ** 24;
