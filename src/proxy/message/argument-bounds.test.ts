import { expect, test } from 'vitest';
import { PROXY_LIMITS } from '../limits.ts';
import { oversizedArguments, oversizedBytes } from './argument-bounds.ts';

const { argumentMembersMax, argumentItemsMax, argumentDepthMax } = PROXY_LIMITS;

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]));
const items = (count: number) => Array.from({ length: count }, () => 1);

/** Objects and lists in turn, so many levels of them. */
function nested(levels: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

test.each([
  ['members', members(argumentMembersMax), members(argumentMembersMax + 1), 'argumentMembersMax'],
  [
    'members of several objects',
    [members(argumentMembersMax)],
    [members(argumentMembersMax), { a: 1 }],
    'argumentMembersMax',
  ],
  ['items', items(argumentItemsMax), items(argumentItemsMax + 1), 'argumentItemsMax'],
  ['items of several lists', [items(argumentItemsMax - 2), []], [items(argumentItemsMax - 1), []], 'argumentItemsMax'],
  ['levels', nested(argumentDepthMax), nested(argumentDepthMax + 1), 'argumentDepthMax'],
  [
    'levels without end',
    nested(argumentDepthMax),
    JSON.parse('['.repeat(500_000) + ']'.repeat(500_000)),
    'argumentDepthMax',
  ],
])('arguments may have so many %s and no more', (_, most, more, limit) => {
  const error = oversizedArguments(more);
  expect([oversizedArguments(most), error?.code, error?.members.limit, error?.detail?.includes(limit)]).toEqual([
    undefined,
    'ARGUMENTS_TOO_LARGE',
    limit,
    true,
  ]);
});

test('a scalar, and nothing, are no arguments that could be too large', () => {
  expect([undefined, null, 'x'.repeat(1_000_000), 1].map(oversizedArguments)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('JSON that was not parsed is counted alike, whatever its strings hold', () => {
  const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
  const limits = [
    members(argumentMembersMax),
    members(argumentMembersMax + 1),
    { a: [items(argumentItemsMax), items(10)] },
    { text: '[{:,'.repeat(50_000), quoted: '\\"{'.repeat(50_000) },
    [nested(argumentDepthMax - 1), 'x'.repeat(100_000)],
    [nested(argumentDepthMax), 'x'.repeat(100_000)],
  ].map((value) => {
    const bytes = bytesOf(value);
    return oversizedBytes(bytes, { start: 0, end: bytes.length })?.members.limit;
  });
  expect(limits).toEqual([
    undefined,
    'argumentMembersMax',
    'argumentItemsMax',
    undefined,
    undefined,
    'argumentDepthMax',
  ]);
});
