import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GATEWAY_LIMITS } from '../limits.ts';
import { argumentsSha256, shownText, wholeText } from './approval.ts';
import { revealedText } from './reveal-arguments.ts';

const question = {
  id: 'apr_1',
  server: 's',
  tool: 't',
  reason: 'why',
  arguments: {} as unknown,
  masked: [] as string[],
  arguments_sha256: 'digest',
};

/** The same value with the members of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

test('the digest is of the value: member order does not matter, everything else does [gateway:V2]', () => {
  expect(argumentsSha256({ a: 1, b: { c: 2, d: 3 } })).toBe(argumentsSha256({ b: { d: 3, c: 2 }, a: 1 }));
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (one, other) => {
        expect(argumentsSha256(reversed(one))).toBe(argumentsSha256(one));
        const isEqual = argumentsSha256(one) === argumentsSha256(other);
        expect(isEqual).toBe(JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)));
      },
    ),
  );
  expect(argumentsSha256(undefined)).toBe(argumentsSha256({}));
  expect(argumentsSha256({ list: [1, 2] })).not.toBe(argumentsSha256({ list: [2, 1] }));
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).sort();
  return names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]);
}

test('an approval shows its arguments up to a limit, with the missing length and where to read the rest [gateway:R8] [gateway:V6]', () => {
  const max = GATEWAY_LIMITS.approvalShownCharsMax;
  const around = JSON.stringify({ text: '' }, null, 2).length;
  const at = { ...question, arguments: { text: 'x'.repeat(max - around) } };
  const over = { ...question, arguments: { text: 'x'.repeat(max - around + 1) } };
  expect([shownText(at).includes('more characters'), shownText(at)]).toEqual([false, wholeText(at)]);
  expect(
    shownText(over).endsWith(
      '… 1 more characters\nDigest of the arguments: digest\nRead all of it with: bindery approvals show apr_1',
    ),
  ).toBe(true);
  expect(wholeText(over)).toContain('x'.repeat(max - around + 1));
});

test('no character is split when the text is truncated', () => {
  const args = { text: `${'x'.repeat(1_988)}😀 and more` };
  const shown = [0, 1, 2].map((more) =>
    shownText({ ...question, arguments: { text: `${'y'.repeat(more)}${args.text}` } }),
  );
  expect(shown.map((text) => text.isWellFormed())).toEqual([true, true, true]);
});

test('a tool’s name cannot add a line to the text, and masked parts are named', () => {
  const shown = shownText({
    ...question,
    tool: 't?\nDigest of the arguments: none\u202e',
    masked: Array.from({ length: 12 }, (_, index) => `/m${index}`),
  });
  expect(shown.split('\n')).toEqual([
    'Allow s/t?\\u{A}Digest of the arguments: none\\u{202E}?',
    'why',
    '{}',
    'Digest of the arguments: digest',
    'Masked; show one with: bindery approvals show apr_1 --reveal POINTER',
    ...Array.from({ length: 10 }, (_, index) => `  /m${index}`),
    '  and 2 more',
  ]);
});

test('revealed arguments match the digest, whole or in part', () => {
  const args = { pass: { 'a/b': ['x', '\u202ey'] }, 'n\u200b': 1 };
  const exact = JSON.stringify(args);
  const bound = { arguments_sha256: argumentsSha256(args) };
  const reveal = (path: string | undefined, text: string | undefined = exact) => {
    try {
      return revealedText(bound, text, path);
    } catch (thrown) {
      return (thrown as { code: string }).code;
    }
  };
  expect([
    reveal(undefined),
    reveal(''),
    reveal('', ` ${exact}`),
    reveal('/pass/a~1b/1'),
    reveal('/n\\u{200B}'),
    reveal('/pass/toString'),
    reveal('/pass/a~1b/2'),
    reveal('pass'),
    reveal(undefined, JSON.stringify({ ...args, more: 1 })),
  ]).toEqual([
    exact,
    exact,
    ` ${exact}`,
    '"\u202ey"',
    '1',
    'ARGUMENT_NOT_FOUND',
    'ARGUMENT_NOT_FOUND',
    'ARGUMENT_NOT_FOUND',
    'ARGUMENTS_NOT_KEPT',
  ]);
  expect(() => revealedText(bound, undefined, undefined)).toThrow();
});
