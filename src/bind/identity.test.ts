import fc from 'fast-check';
import { expect, test } from 'vitest';
import { naiveName } from '../../test/naive/bind.ts';
import { parseIdentity } from './identity.ts';

test('[bind:A13] [bind:S2] every spelling of a name is the same name', () => {
  const spellings = ['acme', 'ACME', 'ai://acme', 'AI://Acme', 'mcp://acme', 'ai://acme/', 'acme@', 'acme@a@b'];
  expect(spellings.map((text) => parseIdentity(text)?.name)).toEqual(spellings.map(() => 'acme'));
  expect(parseIdentity('AI://Acme@webai')).toEqual({ name: 'acme', authorityHint: 'webai' });
});

test('[bind:A13] [bind:X7] other characters are refused, never taken away', () => {
  const refused = [
    '',
    'ac.me',
    'acme!',
    'ac me',
    ' acme',
    'acme ',
    '-acme',
    'acme-',
    '_a',
    'a_',
    'äcme',
    'acm\u212a',
    'acme\n',
    'ai://',
    'ai://ai://acme',
    '/acme',
    'acme/path/x',
    'ai://acme/mcp',
    'ai://acme//',
    'acme@org.example/mcp',
    '@acme',
    'a'.repeat(64),
    'http://acme',
  ];
  expect(refused.filter((text) => parseIdentity(text))).toEqual([]);
  expect(['a', 'a-b_c', '0', 'a'.repeat(63)].map((text) => parseIdentity(text)?.name)).toEqual([
    'a',
    'a-b_c',
    '0',
    'a'.repeat(63),
  ]);
});

test('[bind:U1] query, fragment and escapes are refused in the whole input behind the scheme', () => {
  const refused = ['acme?x', 'acme#f', 'ac%6de', 'acme@x?y', 'acme/p#f', 'acme/%20', 'ai://acme@h%41'];
  expect(refused.filter((text) => parseIdentity(text))).toEqual([]);
  expect(parseIdentity('acme@any thing!/at all')?.name).toBe('acme');
});

test('a host name behind the @ is the resolver that knows the name; anything else there is a hint', () => {
  expect(parseIdentity('AI://Acme@Org.Example')).toEqual({ name: 'acme', authority: 'org.example' });
  expect(parseIdentity('acme@codex.org.example:8443')).toEqual({ name: 'acme', authority: 'codex.org.example:8443' });
  for (const hint of ['webai', 'org.', '.example', 'a@b.example', 'org.example:0', 'org example.com', '']) {
    expect(parseIdentity(`acme@${hint}`)).toEqual({ name: 'acme', authorityHint: hint });
  }
});

test('[bind:A13] any text is read as the naive model reads it', () => {
  const piece = fc.constantFrom('ai://', 'MCP://', 'acme', 'A', '-', '_', '@', '/', '?', '%', '.', 'é', ' ');
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 6 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (input) => {
      expect(parseIdentity(input)?.name).toBe(naiveName(input));
    }),
    { numRuns: 3000 },
  );
});
