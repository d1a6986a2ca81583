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

test.each([
  ['percent escapes', 'See %65vil%2Ecom and wait.', ['evil.com']],
  ['a line end', 'See evil.\n   com and wait.', ['evil.com']],
  ['a line end before the end of a country', 'See evil.\n  be and wait.', ['evil.be']],
  ['a number with a path', 'See 16909060/x in your browser.', ['1.2.3.4']],
  ['a hexadecimal address', 'Open the page 0x7f.1 in your browser.', ['127.0.0.1']],
  ['a name with a port', 'Open localhost:8080/x now.', ['localhost:8080']],
  ['an end of two letters', 'See goo dot gl slash x.', ['goo.gl']],
  ['commas around the point', 'Le site est evil, point, com.', ['evil.com']],
  ['Arabic words', 'انظر evil دوت كوم.', ['evil.xn--fhbei']],
  ['an end that stands alone', 'Go to "evil" followed by ".com".', ['.com']],
  ['an end in words', 'Go to evil with the ending com.', ['.com']],
  ['a reference for another dot', 'See evil&dot;com for it.', ['evil.com']],
  ['a bracketed address', 'Get it at [2001:db8::1]/form.', ['[2001:db8::1]']],
  ['an Arabic zero', 'Get it at evil٠com.', ['evil.com']],
  ['digits in its end', 'Get it at evil.c0m.', ['evil.com']],
  ['a low line', 'See evil&lowbar;x&period;com for it.', ['evil_x.com']],
])('a host with %s is found', (_, text, hosts) => {
  expect([...findMentions(text).hosts]).toEqual(hosts);
});

test.each([
  'The file 20261234/3 is closed, 50%20 of them.',
  'A dot in the corner, a dot on the map, point de contact.',
  'Wait at point 3. Net voor de deur staat een bus.',
  'The desk opens at 8:30/9:00, room A:12.',
])('%s has no host', (text) => {
  expect([...findMentions(text).hosts]).toEqual([]);
});

test.each([
  'https://www.gov.example/go?url=https://evil.com/x',
  'https://www.gov.example/go?next=//evil.com',
  'https://www.gov.example/go?next=%2F%2Fevil.com%2Fx',
  'https://www.gov.example/go?u=https%253A%252F%252Fevil.com',
  'https://www.gov.example/go/https://evil.com/x',
  'https://www.gov.example/go//evil.com/x',
  'https://www.gov.example/#/r?to=http:%5C%5Cevil.com',
  'https://www.gov.example/go?site=evil.com',
  'https://www.gov.example/go#evil.com',
])('the host that %s carries along is found', (link) => {
  expect([...findMentions(`See [it](${link}).`).hosts]).toEqual(['www.gov.example', 'evil.com']);
});

test('a path and members without a host carry none', () => {
  const link = 'https://www.gov.example/a/b.html?lang=fr&date=2026.11.18&file=form.pdf#part-2.1';
  expect([...findMentions(`See ${link}`).hosts]).toEqual(['www.gov.example']);
});

test.each([
  '_https://evil.com/login_',
  '__https://evil.com__',
  'x_https://evil.com/login',
  '-https://evil.com/login',
  '_https:/evil.com/login_',
  '_evil.com_',
  '_www.evil.com_',
  '_the page evil.com_',
  '_evil_.com',
  'evil._com_',
  'desk/evil.com/login',
  '/evil.com',
  '\uff0fevil.com',
  '///evil.com/x and desk/evil.com/login',
  '-evil.com',
  '...evil.com',
  '\u2026evil.com',
  '@evil.com',
  'evil.com_now',
  'evil.com-now',
  'evil.com@',
  '10 EUR see x/evil.com/a',
])('the host in %s is found, whatever stands around it', (text) => {
  const hosts = [...findMentions(`Now: ${text}`).hosts];
  expect(hosts.map((host) => host.replace(/^www\./, ''))).toEqual(['evil.com']);
});

test.each([
  'Fill in docs/form.pdf or en/start.php, room B-2.1/a.',
  'From 2026/11.18 on, art. 4/1.2, 8.30-12.00 and 1.5-2 hours.',
  'The file _canonical.md_ in skills/canonical.md, i.e./e.g. and p.ex./bv. more.',
  'Wait ... then go. -A -b, _c_. Version v1.2.3-rc, K.B./A.R., n.v.t.-regel.',
])('%s leads to no host', (text) => {
  expect([...findMentions(text).hosts]).toEqual([]);
});

test.each(['_tel:8989_', '_sms:8989_', '_@fastdesk_'])('%s is a contact', (text) => {
  expect(findMentions(text).contacts.size).toBe(1);
});

test('a host with a path is a link without its scheme too', () => {
  const linksOf = (text: string) => findMentions(text).links;
  expect([
    linksOf('See law.example.org/9 and https://law.example.org/8.'),
    linksOf('See law.example.org, room B.2/3, art. 4/1.2, e.g./i.e. and docs/form.pdf.'),
  ]).toEqual([['https://law.example.org/8', 'law.example.org/9'], []]);
});
