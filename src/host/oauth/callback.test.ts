import { expect, test } from 'vitest';
import { type CallbackExpectation, readCallback, readPasted } from './callback.ts';
import { callbackPage } from './callback-page.ts';
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
