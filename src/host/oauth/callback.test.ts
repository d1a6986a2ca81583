import { expect, test } from 'vitest';
import { type CallbackExpectation, readCallback, readPasted } from './callback.ts';
import { callbackPage } from './callback-page.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import { OAuthError } from './oauth-error.ts';

const expected: CallbackExpectation = {
  state: 's',
  issuer: 'https://as.example',
  issuerKnown: true,
  issuerRequired: false,
};
const read = (query: string, change: Partial<CallbackExpectation> = {}) => {
  try {
    return readCallback(new URLSearchParams(query), { ...expected, ...change });
  } catch (thrown) {
    return thrown instanceof OAuthError ? `refused: ${thrown.code}` : thrown;
  }
};

test.each([
  ['code=c&state=s', {}, 'c'],
  ['code=c&state=s&iss=https://as.example', { issuerRequired: true }, 'c'],
  ['code=c&state=x', {}, 'refused: state_mismatch'],
  ['code=c', {}, 'refused: state_mismatch'],
  ['code=c&state=s&state=x', {}, 'refused: state_mismatch'],
  ['code=c&state=s', { issuerRequired: true }, 'refused: issuer_missing'],
  ['code=c&state=s&iss=https://as.example/', {}, 'refused: issuer_mismatch'],
  ['code=c&state=s&iss=https://evil.example', { issuerKnown: false }, 'c'],
  ['error=access_denied&state=s', {}, 'refused: access_denied'],
  ['error=access_denied&state=s&iss=https://evil.example', {}, 'refused: issuer_mismatch'],
  ['error=%3Cscript%3E alert&state=s', {}, 'refused: error'],
  ['state=s', {}, 'refused: no_code'],
  ['state=s&code=', {}, 'refused: no_code'],
  [`state=s&error=${'x'.repeat(64)}`, {}, `refused: ${'x'.repeat(64)}`],
  [`state=s&error=${'x'.repeat(65)}`, {}, 'refused: error'],
  ['state=s&error=', {}, 'refused: error'],
  ['code=c&state=s', { issuerKnown: false, issuerRequired: true }, 'c'],
  ['code=c&state=s&iss=', {}, 'refused: issuer_mismatch'],
])('%s', (query, change, outcome) => {
  expect(read(query, change)).toBe(outcome);
});

test.each([
  ['http://127.0.0.1:1/mcp/oauth/callback?code=c&state=s', 'c'],
  ['  http://127.0.0.1:1/x?state=s&code=c#frag  \n', 'c'],
  ['?code=c&state=s', 'c'],
  ['code=c&state=s', 'c'],
  ['c', undefined],
  ['', undefined],
])('what was pasted: %s', (text, code) => {
  expect(readPasted(text)?.get('code') ?? undefined).toBe(code);
});

test('the page escapes what it shows', () => {
  expect(callbackPage('<b>', `"><script>alert('1')</script>&`)).not.toMatch(/<b>|<script/);
});

test('the length of pasted text is limited', () => {
  const sized = (chars: number) => `code=c&x=`.padEnd(chars - '&state=s'.length, 'x').concat('&state=s');
  expect([readPasted(sized(LIMITS.pastedTextMax))?.get('state'), readPasted(sized(LIMITS.pastedTextMax + 8))]).toEqual([
    's',
    undefined,
  ]);
});

test('a page shows a link if there is one, escaped', () => {
  const page = callbackPage('Title', 'Text', { href: 'https://a.example/?a=1&b="', label: '<label>' });
  expect(page).toContain('<p><a rel="noreferrer" href="https://a.example/?a=1&amp;b=&quot;">&lt;label&gt;</a></p>');
  expect(callbackPage('Title', 'Text')).not.toContain('<a');
});
