import { expect, test } from 'vitest';
import { SCHEMA_FORMATS } from './schema-formats.ts';

const isOf = (format: string, text: string) => SCHEMA_FORMATS[format]?.(text);
const two = (value: number) => String(value).padStart(2, '0');

/** Days of a month by the rule of the Gregorian calendar; none of a month that there is not. */
function naiveDays(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return [0, 31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] ?? 0;
}

test('a date must exist in the calendar, in every year of four digits', () => {
  for (const year of [0, 1, 4, 99, 100, 400, 1900, 1970, 1999, 2000, 2023, 2024, 2100, 9999]) {
    for (let month = 0; month <= 13; month += 1) {
      for (let day = 0; day <= 32; day += 1) {
        const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
        const isDay = day >= 1 && day <= naiveDays(year, month);
        expect([text, isOf('date', text)]).toEqual([text, isDay]);
        expect([text, isOf('date-time', `${text}t00:00:00Z`)]).toEqual([text, isDay]);
      }
    }
  }
  for (const text of ['', '2024-1-01', '2024-01-1', '02024-01-01', '2024/01/01', ' 2024-01-01', '2024-01-01 '])
    expect([text, isOf('date', text)]).toEqual([text, false]);
});

test('a date-time has a T, and both parts are valid', () => {
  const texts = ['2024-02-29T10:00:00Z', '2024-02-29T10:00:00', '2024-02-29TT0:00:00Z', '2024-02-29', '\n'.repeat(10)];
  expect(texts.map((text) => isOf('date-time', text))).toEqual([true, false, false, false, false]);
});

test('a host name has labels of up to 63 characters, and up to 253 in total', () => {
  const label = (chars: number) => 'a'.repeat(chars);
  const of = (chars: number) => `${`${label(63)}.`.repeat(3)}${label(chars - 192)}`;
  expect(
    [label(63), label(64), of(253), of(254), 'a', '1-a', 'a-', '-a', 'a.', '.a'].map((text) => isOf('hostname', text)),
  ).toEqual([true, false, true, false, true, true, false, false, false, false]);
});

test('an email address has up to 320 characters, and a host after its single @', () => {
  const of = (chars: number) => `${'a'.repeat(chars - 10)}@x.example`;
  expect(
    [of(320), of(321), 'a@x', 'a@', '@x', 'a@b@c', 'a;b@x', 'a@x_y', 'a'].map((text) => isOf('email', text)),
  ).toEqual([true, false, true, ...Array.from({ length: 6 }, () => false)]);
});

test('addresses and URIs are checked by form and by value', () => {
  const judged = (format: string, texts: readonly string[]) => texts.filter((text) => isOf(format, text));
  expect([
    judged('ipv4', ['1.2.3.4', '255.255.255.255', '256.1.1.1', '1.2.3', '1.2.3.4/8', ' 1.2.3.4', '::1']),
    judged('ipv6', ['::', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', '1:2', '::1/64', ' ::1', '1.2.3.4', ':']),
    judged('uri', ['a:b', 'https://a.example', 'https://', 'a b:c', '1a:b', 'a:ä', 'https://[', 'a']),
    judged('uuid', ['123E4567-e89b-12d3-a456-426614174000', '123e4567-e89b-12d3-a456-42661417400']),
    judged('duration', ['P1W', 'P1Y', 'P1DT1H', 'PT1.5S', 'P', 'PT', 'P1W1D', 'P1.5D']),
    judged('time', ['00:00:00Z', '23:59:60z', '10:00:00.5-23:59', '10:00:00', '24:00:00Z', '10:60:00Z', '10:00:61Z']),
  ]).toEqual([
    ['1.2.3.4', '255.255.255.255'],
    ['::', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4'],
    ['a:b', 'https://a.example'],
    ['123E4567-e89b-12d3-a456-426614174000'],
    ['P1W', 'P1Y', 'P1DT1H', 'PT1.5S'],
    ['00:00:00Z', '23:59:60z', '10:00:00.5-23:59'],
  ]);
});
