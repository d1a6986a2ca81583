import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GATEWAY_LIMITS } from '../limits.ts';
import { addressLiterals } from './address-literals.ts';
import { endlessBudget } from './testing/plain-files.ts';

test.each([
  ['127.1', ['127.1']],
  ['127.0.1', ['127.0.1']],
  ['0x7f.1', ['0x7f.1']],
  ['0X7F.1', ['0X7F.1']],
  ['0177.0.0.1', ['0177.0.0.1']],
  ['0177.1', ['0177.1']],
  ['0x7f000001', ['0x7f000001']],
  ['017700000001', ['017700000001']],
  ['0x0', ['0x0']],
  ['192.168.257', ['192.168.257']],
  ['169.254.43518', ['169.254.43518']],
  ['169.16689662', ['169.16689662']],
  ['1.2.3.4', ['1.2.3.4']],
  ['1.2.3.4.', ['1.2.3.4.']],
  ['１２７.1', ['１２７.1']],
  ['127。0。0。1', ['127。0。0。1']],
  ['user@127.1/path', ['127.1']],
  ['::1', ['[::1]']],
  ['::', ['[::]']],
  ['fe80::1%eth0', ['[fe80::1]']],
  ['::ffff:127.0.0.1', ['[::ffff:127.0.0.1]']],
  ['[::1]', ['[::1]']],
  ['[::1]:80', ['[::1]:80']],
  ['metadata:80', ['metadata:80']],
  ['metadata:1', ['metadata:1']],
  [' 127.1 ', ['127.1']],
  ['(::)', ['[::]']],
  ['meta-data_1:65535', ['meta-data_1:65535']],
  ['ping 10.0.0.1.', ['10.0.0.1.']],
  ['--host=127.1:80', ['127.1:80']],
  ['ssh to (::1) or "metadata:22"', ['[::1]', 'metadata:22']],
  ['curl [fe80::1]:80/x', ['[fe80::1]:80']],
])('%j holds the addresses %j', (text, expected) => {
  expect([...addressLiterals(text, endlessBudget())]).toEqual(expected);
});

test.each([
  ...[
    '',
    '0',
    '12',
    '2130706433',
    '007',
    '0042',
    '1.5',
    '10.1',
    '0.5',
    '3.14159',
    '99.9',
    '1.2.3',
    '10.0.1',
    '1.2.3.4.5',
  ],
  ...['12:30', '12:30:45', '16:9', '2024-05-01T12:30:00Z', 'Note: 12', 'note:', 'note:0', 'note:65536', 'a:b'],
  ...['std::string', 'and :: so', '00:11:22:33:44:55', '256.1.1.1.', '1.2.3.256', '0xZZ', '0xdeadbeefdeadbeef'],
  ...['version 127.5 of it', 'It was 0.5.', 'chapter 3.', 'README.md', 'metadata', 'e.g. this: that', '[1]', '[note]'],
])('%j holds none', (text) => {
  expect([...addressLiterals(text, endlessBudget())]).toEqual([]);
});

test('a text of any length is read in one pass', () => {
  for (const part of ['0', '0x', '1.', '::', 'a:1', ': ', '[[', '1.1.1.1 ', '@', '．', '%'])
    expect([...addressLiterals(part.repeat(500_000), endlessBudget())].length).toBeLessThan(1_000_000);
});

/** The four bytes that `inet_aton` reads in parts of numbers; undefined where it reads none. */
function naiveBytes(parts: readonly string[]): number[] | undefined {
  const values = parts.map((part) => {
    if (part.startsWith('0x')) return BigInt(part === '0x' ? '0x0' : part);
    return /^0[0-7]+$/.test(part) ? BigInt(`0o${part.slice(1)}`) : BigInt(part);
  });
  const last = values.at(-1) ?? 0n;
  const first = values.slice(0, -1);
  const room = 4 - first.length;
  if (room < 1 || first.some((value) => value > 255n) || last >= 1n << BigInt(8 * room)) return undefined;
  const tail =
    last
      .toString(16)
      .padStart(2 * room, '0')
      .match(/../g) ?? [];
  return [...first.map(Number), ...tail.map((byte) => Number.parseInt(byte, 16))];
}

/** Networks that a short form such as 127.1 is taken to lead to; 10.1 is a number. */
function isNear([a = 0, b = 0]: readonly number[]): boolean {
  if (a === 127 || (a === 192 && b === 168) || (a === 169 && b === 254)) return true;
  return (a === 172 && b >= 16 && b < 32) || (a === 100 && b >= 64 && b < 128);
}

function naiveIsAddress(parts: readonly string[], isAlone: boolean): boolean {
  const bytes = naiveBytes(parts);
  if (!bytes) return false;
  const isOdd = parts.some((part) => part.length > 1 && part.startsWith('0'));
  if (parts.length === 4) return true;
  if (parts.length === 1) return isOdd && (bytes[0] !== 0 || (parts[0]?.startsWith('0x0') ?? false));
  return isOdd || (isAlone && isNear(bytes));
}

test('numbers are an address if inet_aton reads them so and people would not write a number that way', () => {
  const value = fc.oneof(
    fc.constantFrom(0, 1, 7, 10, 63, 64, 100, 127, 128, 168, 169, 172, 15, 16, 31, 32, 192, 254, 255, 256),
    fc.constantFrom(2 ** 16 - 1, 2 ** 16, 2 ** 24 - 1, 2 ** 24, 2 ** 32 - 1, 2 ** 32),
    fc.nat(300),
    fc.nat(2 ** 31 - 1),
  );
  const part = fc.oneof(
    { weight: 4, arbitrary: value.map(String) },
    value.map((one) => `0${one.toString(8)}`),
    value.map((one) => `0x${one.toString(16)}`),
    fc.constantFrom('0x', '08', '0x0', '00', '0', '0x01'),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), fc.boolean(), (parts, isAlone) => {
      const text = parts.join('.');
      const found = [...addressLiterals(isAlone ? text : `at ${text} now`, endlessBudget())];
      expect(found).toEqual(naiveIsAddress(parts, isAlone) ? [text] : []);
    }),
    { numRuns: 8_000 },
  );
});

test('groups are an IPv6 address if the system says so, with or without brackets', () => {
  const group = fc.oneof(
    fc.nat(0xffff).map((value) => value.toString(16)),
    fc.constantFrom('', '0', 'g', '12345'),
  );
  const groups = fc.oneof(
    fc.array(group, { minLength: 1, maxLength: 9 }),
    fc.tuple(fc.array(fc.constantFrom('0', 'ffff', '1'), { minLength: 4, maxLength: 7 }), fc.constant('127.0.0.1')),
    fc.array(fc.constantFrom('0', 'ffff', 'a1'), { minLength: 6, maxLength: 9 }),
  );
  fc.assert(
    fc.property(groups, (given) => {
      const text = given.flat().join(':');
      // A name with a port may have a colon behind it, as the end of a clause.
      fc.pre(text.split(':').length > 2 && text !== '::' && !/^[^:]+:\d+:$/.test(text));
      const found = isIPv6(text);
      expect([
        [...addressLiterals(text, endlessBudget())],
        [...addressLiterals(`[${text}]`, endlessBudget())],
        [...addressLiterals(`[${text}]:80`, endlessBudget())],
      ]).toEqual(found ? [[`[${text}]`], [`[${text}]`], [`[${text}]:80`]] : [[], [], []]);
    }),
    { numRuns: 3_000 },
  );
});

test('a word that is too long for a host is not an address', () => {
  const { urlCharsMax: max } = GATEWAY_LIMITS;
  const found = (chars: number) => [...addressLiterals(`${'a'.repeat(chars - 3)}:80`, endlessBudget())].length;
  expect([found(max), found(max + 1)]).toEqual([1, 0]);
});
