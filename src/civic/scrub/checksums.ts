/** Belgian national or BIS number: a plausible date, and check digits of 97 minus the first nine digits modulo 97 [spec 5]. */
export function isBelgianNationalNumber(digits: string): boolean {
  const month = Number(digits.slice(2, 4)) % 20;
  const shift = Math.floor(Number(digits.slice(2, 4)) / 20);
  const day = Number(digits.slice(4, 6));
  if (shift > 2 || month > 12 || day > 31) return false;
  if (month === 0 ? day > 1 : day === 0) return false;
  const body = Number(digits.slice(0, 9));
  const check = Number(digits.slice(9));
  return check === 97 - (body % 97) || check === 97 - ((2_000_000_000 + body) % 97);
}

/** Twelve digits; the last two are the first ten modulo 97, with 97 for 0. */
export function isMod97Twelve(digits: string): boolean {
  const rest = Number(digits.slice(0, 10)) % 97;
  return Number(digits.slice(10)) === (rest === 0 ? 97 : rest);
}

/** Belgian enterprise number: ten digits starting with 0 or 1. */
export function isEnterpriseNumber(digits: string): boolean {
  return /^[01]/.test(digits) && Number(digits.slice(8)) === 97 - (Number(digits.slice(0, 8)) % 97);
}

/** French NIR with its check key; `2A` and `2B` stand for Corsica. */
export function isFrenchNir(number: string): boolean {
  const fields = /^([1-478])(\d\d)(\d\d)(\d[\dAB])(\d{3})(\d{3})(\d\d)$/.exec(number.toUpperCase());
  if (!fields) return false;
  const month = Number(fields[3]);
  if (!((month >= 1 && month <= 12) || (month >= 20 && month <= 42) || month >= 50)) return false;
  const body = number.slice(0, 13).toUpperCase();
  const corsica = body[6] === 'A' ? 1_000_000 : body[6] === 'B' ? 2_000_000 : 0;
  const value = Number(body.replace(/[AB]/, '0')) - corsica;
  return Number(fields[7]) === 97 - (value % 97);
}

/** Dutch BSN: nine digits (eight are padded) that pass the eleven test. */
export function isDutchBsn(digits: string): boolean {
  const padded = digits.padStart(9, '0');
  let sum = -Number(padded[8]);
  for (let i = 0; i < 8; i++) sum += (9 - i) * Number(padded[i]);
  return Number(padded) > 0 && sum % 11 === 0;
}

export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

/** Issuer prefixes in use, with their card number lengths. */
const ISSUERS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:30[0-5]|3095|36|3[89])/, [14, 16, 17, 18, 19]],
  [/^35(?:2[89]|[3-8])/, [16, 17, 18, 19]],
  [/^(?:50|5[6-9]|6)/, [13, 14, 15, 16, 17, 18, 19]],
];

/** A payment card number: issuer prefix, length and Luhn checksum. */
export function isPaymentCard(digits: string): boolean {
  return (
    ISSUERS.some(([prefix, lengths]) => lengths.includes(digits.length) && prefix.test(digits)) && passesLuhn(digits)
  );
}

/** US social security number: it has no checksum, but some areas, groups and serials are never issued. */
export function isIssuableSsn(digits: string): boolean {
  return !/^(?:000|666|9)/.test(digits) && digits.slice(3, 5) !== '00' && digits.slice(5) !== '0000';
}

/** ISO 7064 mod 97-10 over letters and digits, rotated by four as in an IBAN. */
export function passesIbanCheck(iban: string): boolean {
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
