import { expect, test } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { createRedactor } from '../../contract/redact.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import type { AuditEntry } from './audit-record.ts';
import { boundedArguments, boundedEntry } from './bounded-arguments.ts';

const max = GATEWAY_LIMITS.recordedArgumentsCharsMax;
const x = (length: number) => 'x'.repeat(length);

test('arguments up to the limit stay the same object, and one character more cuts the longest text only', () => {
  const fits = { a: x(1_000), b: x(max - 1_002) };
  expect(boundedArguments(fits)).toBe(fits);
  expect(boundedArguments({ a: x(1_000), b: x(max - 1_001) })).toEqual({
    a: x(1_000),
    b: `${x(max - 1_002)}… (1 more characters)`,
  });
});

test('numbers, names and nested texts count', () => {
  const fits = { a: [1, true, null, { bc: x(max - 27) }] };
  expect(boundedArguments(fits)).toBe(fits);
  const over = { a: [1, true, null, { bc: x(max - 26) }] };
  expect(boundedArguments(over)).toEqual({ a: [1, true, null, { bc: `${x(max - 27)}… (1 more characters)` }] });
});

test('many texts below the limit of one text are cut to the limit of the record', () => {
  const args = { texts: Array.from({ length: 15 }, () => x(260_000)), short: 'kept' };
  const { texts, short } = boundedArguments(args) as typeof args;
  expect(JSON.stringify({ texts, short }).length).toBeLessThan(max + 1_000);
  expect([short, texts.length, new Set(texts).size]).toEqual(['kept', 15, 1]);
  expect(texts[0]).toBe(`${x(17_475)}… (${260_000 - 17_475} more characters)`);
});

test('a text that was cut before counts all that is missing', () => {
  const length = LIMITS.recordedTextCharsMax + 500;
  const args = createRedactor().value({ a: x(length), b: x(length) });
  const half = (max - 2) / 2;
  const text = `${x(half)}… (${length - half} more characters)`;
  expect(boundedArguments(args)).toEqual({ a: text, b: text });
  const alone = createRedactor().value(x(length));
  expect(boundedArguments(alone)).toBe(alone);
});

test('of very many short texts, numbers and members the last are left out, and their number is named', () => {
  const texts = Array.from({ length: 100_000 }, () => x(39));
  const kept = boundedArguments(texts) as string[];
  const count = Math.ceil(max / 39);
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([count + 1, x(39), `… (${100_000 - count} more items)`]);
  const numbers = boundedArguments({ n: Array.from({ length: 100_000 }, () => 1) }) as { n: unknown[] };
  expect(numbers.n.length).toBe(Math.ceil((max - 1) / 8) + 1);
  const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`${x(50)}${index + 10_000}`, 1]));
  const shown = boundedArguments(members) as Record<string, unknown>;
  const shownCount = Math.ceil(max / 63);
  expect([Object.keys(shown).length, shown['…']]).toEqual([shownCount + 1, `${20_000 - shownCount} more members`]);
});

test('long names that are equal up to the cut stay apart', () => {
  const args = { [`${x(max)}a`]: 1, [`${x(max)}b`]: 2 };
  expect(Object.values(boundedArguments(args) as object)).toEqual([1, 2]);
});

test('the answers of a record have the same limit as its arguments', () => {
  const entry = { arguments: { a: 1 }, answers: { q: x(max) } } as unknown as AuditEntry;
  expect(boundedEntry(entry)).toEqual({ arguments: { a: 1 }, answers: { q: `${x(max - 1)}… (1 more characters)` } });
  const meta = { meta: { m: x(max) } } as unknown as AuditEntry;
  expect(boundedEntry(meta)).toMatchObject({ meta: { m: `${x(max - 1)}… (1 more characters)` } });
  const small = { arguments: { a: 1 }, answers: { q: 'yes' } } as unknown as AuditEntry;
  expect(boundedEntry(small)).toBe(small);
});
