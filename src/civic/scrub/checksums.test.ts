import { expect, test } from 'vitest';
import {
  isBelgianNationalNumber,
  isDutchBsn,
  isEnterpriseNumber,
  isFrenchNir,
  isIssuableSsn,
  isMod97Twelve,
  isPaymentCard,
  passesIbanCheck,
  passesLuhn,
} from './checksums.ts';

/** A number with the two digits behind it that make its rest by 97 what it should be. */
const withCheck = (body: string, check: number) => `${body}${String(check).padStart(2, '0')}`;
const belgian = (body: string, century = 0) => withCheck(body, 97 - ((century * 1_000_000_000 + Number(body)) % 97));
const nir = (body: string, value = Number(body)) => withCheck(body, 97 - (value % 97));

test.each([
  ['000101001', true],
  ['850730033', true],
  ['851230033', true],
  ['851330033', false],
  ['852030033', false],
  ['852130033', true],
  ['854130033', true],
  ['856130033', false],
  ['850731033', true],
  ['850732033', false],
  ['850700033', false],
  ['850000033', true],
  ['850001033', true],
  ['850002033', false],
])('the national number that begins with %s is one: %s', (body, isOne) => {
  expect([isBelgianNationalNumber(belgian(body)), isBelgianNationalNumber(belgian(body, 2))]).toEqual([isOne, isOne]);
  expect(isBelgianNationalNumber(belgian(body, 1))).toBe(false);
});

test('twelve digits end with the first ten modulo 97, with 97 for 0', () => {
  expect(['123456789002', '097000000097', '097000000000', '123456789003', '000000009797'].map(isMod97Twelve)).toEqual([
    1_234_567_890 % 97 === 2,
    true,
    false,
    1_234_567_890 % 97 === 3,
    true,
  ]);
});

test('an enterprise number begins with 0 or 1 and has its check', () => {
  const numberOf = (body: string) => withCheck(body, 97 - (Number(body) % 97));
  expect(['04039191', '10000000', '20000000'].map(numberOf).map(isEnterpriseNumber)).toEqual([true, true, false]);
  expect(isEnterpriseNumber(`04039191${'00'}`)).toBe(false);
});

test.each([
  ['1850175123456', true],
  ['1851275123456', true],
  ['1851375123456', false],
  ['1850075123456', false],
  ['1851975123456', false],
  ['1852075123456', true],
  ['1854275123456', true],
  ['1854375123456', false],
  ['1854975123456', false],
  ['1855075123456', true],
  ['5850175123456', false],
  ['6850175123456', false],
  ['4850175123456', true],
])('the NIR that begins with %s is one: %s', (body, isOne) => {
  expect(isFrenchNir(nir(body))).toBe(isOne);
});

test('a NIR of Corsica has letters that count as nothing less a million or two', () => {
  const body = (department: string) => `18501${department}123456`;
  expect([
    isFrenchNir(nir(body('2A'), Number(body('20')) - 1_000_000)),
    isFrenchNir(nir(body('2B'), Number(body('20')) - 2_000_000)),
    isFrenchNir(nir(body('2b'), Number(body('20')) - 2_000_000)),
    isFrenchNir(nir(body('2A'), Number(body('20')))),
    isFrenchNir('nothing'),
  ]).toEqual([true, true, true, false, false]);
});

test('a BSN passes the eleven-test, with eight digits too, and is not all zeros', () => {
  expect(['111222333', '123456782', '12345678', '123456789', '000000000', '10000008'].map(isDutchBsn)).toEqual([
    true,
    true,
    false,
    false,
    false,
    true,
  ]);
});

test('every digit counts in the test of Luhn, doubled at every second place', () => {
  const good = '4012888888881881';
  const changed = Array.from(good, (digit, at) => good.slice(0, at) + ((Number(digit) + 1) % 10) + good.slice(at + 1));
  expect([good, '18', '26', '34', '42', '59', '67', '75', '83', '91', '0'].every(passesLuhn)).toBe(true);
  expect(changed.some(passesLuhn)).toBe(false);
});

const withLuhn = (body: string) => [...'0123456789'].map((digit) => body + digit).find(passesLuhn) as string;
const card = (prefix: string, length: number) => withLuhn(prefix.padEnd(length - 1, '0'));

test.each([
  ['4', [13, 16, 19]],
  ['51', [16]],
  ['55', [16]],
  ['2221', [16]],
  ['2220', []],
  ['2720', [16]],
  ['2721', []],
  ['34', [15]],
  ['37', [15]],
  ['300', [14, 16, 17, 18, 19]],
  ['305', [14, 16, 17, 18, 19]],
  ['306', []],
  ['3095', [14, 16, 17, 18, 19]],
  ['36', [14, 16, 17, 18, 19]],
  ['38', [14, 16, 17, 18, 19]],
  ['3528', [16, 17, 18, 19]],
  ['3527', []],
  ['358', [16, 17, 18, 19]],
  ['50', [13, 14, 15, 16, 17, 18, 19]],
  ['56', [13, 14, 15, 16, 17, 18, 19]],
  ['6011', [13, 14, 15, 16, 17, 18, 19]],
  ['62', [13, 14, 15, 16, 17, 18, 19]],
  ['1', []],
  ['7', []],
])('cards from %s have these lengths: %j', (prefix, lengths) => {
  const possible = Array.from({ length: 10 }, (_, index) => index + 11);
  expect(possible.filter((length) => isPaymentCard(card(prefix, length)))).toEqual(lengths);
});

test('a card has the prefix of an issuer and one of its lengths', () => {
  expect(
    [card('4', 16), card('4', 15), card('51', 16), card('51', 15), card('37', 15), card('37', 16), card('1', 16)].map(
      isPaymentCard,
    ),
  ).toEqual([true, false, true, false, true, false, false]);
  expect(isPaymentCard('4000000000000003')).toBe(false);
});

test('areas, groups and serials that are never issued make no social security number', () => {
  expect(['123456789', '000456789', '666456789', '912345678', '123006789', '123450000'].map(isIssuableSsn)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('an IBAN has the rest 1, letters and digits alike', () => {
  expect(
    ['BE68539007547034', 'GB29NWBK60161331926819', 'BE68539007547035', 'GB29NWBK60161331926891'].map(passesIbanCheck),
  ).toEqual([true, true, false, false]);
});
