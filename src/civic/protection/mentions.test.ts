import { expect, test } from 'vitest';
import { findMentions } from './mentions.ts';

test.each([
  ['a link', 'Go to https://portal.example.org/start now.', ['portal.example.org']],
  ['a host without a scheme', 'Go to portal.example.org.', ['portal.example.org']],
  ['a point that is spelled out', 'Go to portal-7[.]test now.', ['portal-7.test']],
  ['a name before the host', 'https://example.org@collect.test/', ['collect.test']],
  ['a host of one letter with a path', 'Write to t.me/fastlane today.', ['t.me']],
  ['an abbreviation', 'Ask Mr. J.me or see p.ex. the form.pdf.', []],
])('%s is found as a host', (_, text, hosts) => {
  expect([...findMentions(text).hosts]).toEqual(hosts);
});

test('an address of four numbers is a host, and a version of three is none', () => {
  expect([...findMentions('Pay at 203.0.113.9/pay, as of version 1.2.3.').hosts]).toEqual(['203.0.113.9']);
});

test.each([
  '[form](https&#58;//evil.example.net/x)',
  '[form](//evil.example.net/y)',
  '[form](<https:\\/\\/evil.example.net/z>)',
  'See evil&#46;example&#46;net for it.',
  'See evil.ex**amp**le.net for it.',
  '[form](https:/evil.example.net/x)',
  '[form](https:\\\\evil.example.net/x)',
  'See evil.example。net/pay for it.',
  'See evil.example . net for it.',
  'See evil.example.\u2028net for it.',
  'See evil.example.\u0085net for it.',
  'See [evil](#x).example.net for it.',
  'See [evil][1].example.net for it.',
])('the host behind %s is found', (text) => {
  expect([...findMentions(text).hosts]).toEqual(['evil.example.net']);
});
