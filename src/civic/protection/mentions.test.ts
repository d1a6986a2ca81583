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
