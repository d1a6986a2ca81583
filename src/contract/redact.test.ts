import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from './limits.ts';
import { createRedactor, isSecretName, MASK, wordsOf } from './redact.ts';

const plain = createRedactor();

describe('names', () => {
  test.each([
    ['password', true],
    ['userPassword', true],
    ['DB_PASSWD', true],
    ['pass', true],
    ['client_secret', true],
    ['accessToken', true],
    ['access-token', true],
    ['apikey', true],
    ['apiKey', true],
    ['APIKey', true],
    ['X-Api-Key', true],
    ['API_KEY', true],
    ['private_key', true],
    ['privateKeyPem', true],
    ['accessKeyId', true],
    ['Authorization', true],
    ['Set-Cookie', true],
    ['credentials', true],
    ['token2', true],
    ['max_tokens', false],
    ['maxTokens', false],
    ['tokens', false],
    ['passengers', false],
    ['bypass', false],
    ['compass', false],
    ['secretary', false],
    ['key', false],
    ['public_key', false],
    ['api', false],
    ['key_api', false],
    ['monkeyApi', false],
    ['cookies', false],
    ['', false],
  ])('[host:U8] %s → %s', (name, secret) => {
    expect(isSecretName(name)).toBe(secret);
  });

  test('[host:U8] words agree with a naive split of names written in three ways', () => {
    const word = fc.stringMatching(/^[a-z]{2,8}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        const capital = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`;
        const spellings = [
          words.join('_'),
          words.join('-'),
          words.join('_').toUpperCase(),
          words.map(capital).join(''),
        ];
        expect(spellings.map(wordsOf)).toEqual(spellings.map(() => words));
      }),
    );
  });
});

describe('values', () => {
  test('[host:U8] a member with a secret name is masked wholly, others are kept', () => {
    expect(
      plain.value({
        path: '/tmp',
        max_tokens: 5,
        apiKey: 'abc',
        nested: [{ credentials: { user: 'u', values: [1] } }, null, true],
      }),
    ).toEqual({ path: '/tmp', max_tokens: 5, apiKey: MASK, nested: [{ credentials: MASK }, null, true] });
  });

  test('[host:U8] a member named __proto__ stays a member', () => {
    expect(JSON.stringify(plain.value(JSON.parse('{"__proto__":{"token":"x"}}')))).toBe(
      '{"__proto__":{"token":"***"}}',
    );
  });

  test('[host:U8] an error keeps its message and cause, masked', () => {
    const masked = createRedactor(['hunter2hunter2']).value(
      new Error('login with hunter2hunter2', { cause: { token: 'x' } }),
    );
    expect(masked).toMatchObject({ name: 'Error', message: 'login with ***', cause: { token: MASK } });
  });
});

describe('texts', () => {
  test.each([
    ['Authorization: Bearer abc.def-ghi', 'Authorization: ***'],
    ['sent bearer abc.def-ghi to it', 'sent bearer *** to it'],
    ['it gave a token that is no bearer token', 'it gave a token that is no bearer token'],
    ['a bearer token, and Bearer credentials.', 'a bearer token, and Bearer credentials.'],
    ['Bearer token.abc.def or bearer tokens-of-mine', 'Bearer *** or bearer ***'],
    ['GET https://ann:pw@example.com/a?x=1', 'GET https://***@example.com/a?x=1'],
    ['https://ghp_abc@github.com', 'https://***@github.com'],
    ['https://h/p?api_key=abc&page=2&access_token=def#t', 'https://h/p?api_key=***&page=2&access_token=***#t'],
    ['grant_type=refresh_token&client_secret=s3cr3t&scope=a', 'grant_type=refresh_token&client_secret=***&scope=a'],
    ['{"token":"abc","n":[1]}', '{"token":"***","n":[1]}'],
    ['answer: {"token": "a\\"bc", "n": 1}', 'answer: {"token": "***", "n": 1}'],
    ['DB_PASSWORD="two words" ok', 'DB_PASSWORD=*** ok'],
    ['X-Api-Key: abc\nAccept: text/plain', 'X-Api-Key: ***\nAccept: text/plain'],
    ['Cookie: a=b; c=d', 'Cookie: ***'],
    ['error: invalid token: unexpected end', 'error: invalid token: unexpected end'],
    ['max_tokens=5 and a plain sentence', 'max_tokens=5 and a plain sentence'],
    ['{"max_tokens":  5}', '{"max_tokens":  5}'],
  ])('[host:U8] %s', (text, masked) => {
    expect(plain.text(text)).toBe(masked);
  });

  test('[host:U8] a known secret is masked in its JSON and its URL spelling too', () => {
    const redactor = createRedactor(['p"a ss/w']);
    expect(redactor.text(`x p"a ss/w y ${JSON.stringify({ v: 'p"a ss/w' })} ${encodeURIComponent('p"a ss/w')}`)).toBe(
      'x *** y {"v":"***"} ***',
    );
  });
});

describe('whatever surrounds them, planted secrets are gone', () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9+/=_"\\ .-]{6,40}$/).filter((text) => text.trim().length >= 6);
  const frames: ((secret: string, noise: string) => string)[] = [
    (s, n) => `${n}${s}${n}`,
    (s, n) => `${n} ${JSON.stringify({ note: `${n}${s}` })}`,
    (s, n) => `https://h/${n}?q=${encodeURIComponent(s)}`,
    (s) => JSON.stringify({ a: [{ b: s }] }),
    (s) => JSON.stringify({ [s]: 1 }),
  ];

  test('[host:U8] [host:H10] in texts and in values, for a redactor that knows them', () => {
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.string(),
        fc.jsonValue(),
        (secrets, noise, json) => {
          const redactor = createRedactor(secrets);
          for (const planted of secrets) {
            for (const frame of frames) expect(redactor.text(frame(planted, noise))).not.toContain(planted);
            const value = redactor.value({
              json,
              list: [planted, `${noise}${planted}`],
              [`k${planted}`]: { deep: planted },
            });
            expect(JSON.stringify(value)).not.toContain(JSON.stringify(planted).slice(1, -1));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('[host:U8] masking twice changes nothing more', () => {
    fc.assert(
      fc.property(fc.array(secret), fc.stringMatching(/^[a-z0-9 ]*$/), (secrets, noise) => {
        const redactor = createRedactor(secrets);
        const once = redactor.text(`${noise} token=${noise} https://${noise}@h/ ${secrets.join(noise)}`);
        expect(redactor.text(once)).toBe(once);
      }),
    );
  });

  test('[host:U8] hostile texts take linear time', () => {
    const size = 200_000;
    for (const unit of ['a', '"', '\\"', ' ', '\n', '"a":"', 'a=', 'https://', 'Bearer ', '"\\']) {
      expect(plain.text(unit.repeat(size / unit.length)).length).toBeGreaterThan(0);
    }
  });
});

test('a secret in JSON within JSON is masked in a text that is neither', () => {
  const inner = JSON.stringify({ client_secret: 'deep-secret', plain: 'stays' });
  const text = `called with ${JSON.stringify({ body: inner })} and ${JSON.stringify({ a: JSON.stringify({ body: inner }) })}`;
  expect([createRedactor().text(text).includes('deep-secret'), createRedactor().text(text).includes('stays')]).toEqual([
    false,
    true,
  ]);
});

test('of a very long text the beginning is kept, masked, and no part of a secret at the cut', () => {
  const redactor = createRedactor(['sesame-open']);
  const max = LIMITS.recordedTextCharsMax;
  const fits = `token=abc ${'x'.repeat(max - 10)}`;
  expect(redactor.value(fits)).toBe(`token=*** ${'x'.repeat(max - 10)}`);
  const value = redactor.value({ a: `token=abc ${'x'.repeat(max - 15)}sesame-open and more` }) as { a: string };
  expect(value.a.length).toBeLessThan(max + 40);
  expect([
    value.a.startsWith('token=*** x'),
    value.a.includes('sesame'),
    /… \(\d+ more characters\)$/.test(value.a),
  ]).toEqual([true, false, true]);
});
