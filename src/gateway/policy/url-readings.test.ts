import { expect, test } from 'vitest';
import { GATEWAY_LIMITS } from '../limits.ts';
import { endlessBudget } from './testing/plain-files.ts';
import {
  bareAddresses,
  bareHosts,
  embeddedUrls,
  isAllowedHost,
  isFileUrl,
  isLongerText,
  urlHosts,
} from './url-readings.ts';

const NO_HOST = { refused: 'names no host' };
const NOT_ASCII = { refused: 'names a host that is not written in ASCII' };
const UNCLEAR = { refused: 'names a host that programs read in different ways' };
const hosts = (...names: string[]) => ({ hosts: names });

test.each([
  ['https://a.example/x', hosts('a.example')],
  ['HTTPS://A.Example.:443/x', hosts('a.example')],
  ['//a.example/x', hosts('a.example')],
  ['/a.example/x', undefined],
  ['a.example/x', undefined],
  ['mailto:a@b.example', undefined],
  ['custom://a.example', hosts('a.example')],
  ['custom:/a.example', undefined],
  ['https:a.example', hosts('a.example')],
  ['https:///a.example', hosts('a.example')],
  ['https:\\\\a.example\\x', hosts('a.example')],
  ['https://user:word@a.example/', hosts('a.example')],
  ['https://a.example@b.example/', hosts('b.example')],
  ['https://a@b@c.example/', UNCLEAR],
  ['https://a.example\\@b.example/', hosts('a.example', 'b.example')],
  ['https://', NO_HOST],
  ['https://?q', NO_HOST],
  ['https://ä.example/', NOT_ASCII],
  ['https://a.example:x/', UNCLEAR],
  ['https://a.example:123456/', UNCLEAR],
  ['https://a.example:12345/', hosts('a.example')],
  ['https://a..example/', UNCLEAR],
  ['https://a%2eexample/', UNCLEAR],
  ['https://[::1]:80/', hosts('[::1]')],
  ['https://[0:0:0:0:0:0:0:1]/', hosts('[::1]')],
  ['https://0x7f.1/', hosts('0x7f.1', '127.0.0.1')],
  [' https://a.exa\nmple/ ', hosts('a.example')],
])('the hosts of %j are %j', (text, expected) => {
  expect(urlHosts(text)).toEqual(expected);
});

test.each([
  ['a.example', hosts('a.example')],
  ['a.example:80/path', hosts('a.example')],
  ['a.example\\path', UNCLEAR],
  ['user@a.example?q', hosts('a.example')],
  ['ä.example', NOT_ASCII],
  ['', NO_HOST],
])('the hosts of %j, which has no scheme, are %j', (text, expected) => {
  expect(bareHosts(text)).toEqual(expected);
});

test.each([
  ['a.example', ['a.example'], true],
  ['a.example', ['A.EXAMPLE.'], true],
  ['b.a.example', ['a.example'], false],
  ['b.a.example', ['.a.example'], true],
  ['b.a.example', ['.A.example'], true],
  ['a.example', ['.a.example'], false],
  ['.a.example', ['.a.example'], false],
  ['ba.example', ['.a.example'], false],
  ['[::1]', ['::1'], true],
  ['[::1]', ['0:0::1'], true],
  ['[::1]', ['::2'], false],
  ['a.example', ['b.example', 'a.example'], true],
  ['a.example', [], false],
])('the host %s is one of %j: %s', (host, domains, isAllowed) => {
  expect(isAllowedHost(host, domains)).toBe(isAllowed);
});

test.each([
  ['see https://a.example/x, please', ['https://a.example/x']],
  ['(https://a.example/x)', ['https://a.example/x']],
  ['"//a.example/x"', ['//a.example/x']],
  ['x//a.example', []],
  ['git+ssh://a.example/x and <ftp:b.example>', ['x://a.example/x', 'ftp:b.example']],
  ['file:///etc/x', ['file:///etc/x']],
  ['https:', ['https:']],
  ['odd:// ', ['x://']],
  ['nothing here', []],
  ['(://a.b).', ['x://a.b']],
  ['://a.', ['x://a']],
  ['://.', ['x://.']],
  ['https:.', ['https:.']],
  ['https:a.', ['https:a']],
  ['https::', ['https::']],
  ['=//a, (//b)', ['//a', '//b']],
  ['//a', []],
  ['https://a.example/x"y" z', ['https://a.example/x"y']],
])('the URLs in %j are %j', (text, expected) => {
  const found = [...embeddedUrls(text)];
  expect([...new Set(found)].filter((url) => !url.startsWith('x:') || !text.includes(`https${url.slice(1)}`))).toEqual(
    expected,
  );
});

test.each([
  ['a.example/x', ['a.example']],
  ['localhost', ['localhost']],
  ['intranet/x', ['intranet']],
  ['intranet', []],
  ['call a.example/x now', ['a.example']],
  ['call a.example now', []],
  ['call a.example:80 now', ['a.example:80']],
  ['git@a.example:path/x', ['git@a.example']],
  ['a.example:path', ['a.example']],
  ['a.example:80/path', ['a.example:80']],
  ['./a.example/x', []],
  ['~/a.example', []],
  ['https://a.example/x', []],
  ['10.0.0.1', ['10.0.0.1']],
  ['1.5', []],
  ['a。example', ['a。example']],
  ['a.exam\nple', ['a.example']],
  ['x a.exam\nple/y', []],
  ['x a.example:80/y', ['a.example:80']],
  ['x intranet/y', []],
  ['x intranet:80', []],
  ['x git@intranet:y', []],
  ['git@intranet:y', ['git@intranet']],
  ['intranet:y', []],
  ['a.example:80', ['a.example:80']],
  ['a.example:80x', ['a.example']],
  ['a.example://x', []],
  ['x localhost', []],
  ['<localhost>', ['localhost']],
  ['LOCALHOST', ['LOCALHOST']],
  ['x localhost:80', ['localhost:80']],
  ['user@a.example', ['user@a.example']],
  ['x user@a.example/y <b.example/z>', ['user@a.example', 'b.example']],
  ['[::1]/x', ['[::1]']],
  ['.a.example', []],
  ['a:', []],
  ['a%b.example', []],
  ['https:a.example/x', []],
  ['//a.example/x', []],
])('the addresses without a scheme in %j are %j', (text, expected) => {
  expect([...bareAddresses(text, endlessBudget())]).toEqual(expected);
});

test('a text that continues after a URL is a longer text; a file has its own scheme', () => {
  expect(
    ['https://a.example', 'https://a.example/a b', 'https://a b', 'https://a b@c', 'a b'].map(isLongerText),
  ).toEqual([false, false, true, false, true]);
  expect(['file:/x', ' FILE:x', 'files:/x', 'https://a/file:'].map(isFileUrl)).toEqual([true, true, false, false]);
});

test('a host that is too long is refused in every interpretation', () => {
  const host = (chars: number) => 'a'.repeat(chars);
  const { urlCharsMax } = GATEWAY_LIMITS;
  expect(urlHosts(`https://${host(urlCharsMax)}/x`)).toEqual(hosts(host(urlCharsMax)));
  const refused = { refused: 'names a host that is longer than any' };
  expect([urlHosts(`https://${host(urlCharsMax + 1)}/x`), bareHosts(host(urlCharsMax + 1))]).toEqual([
    refused,
    refused,
  ]);
});

test('of a word that is too long for a host, only the beginning of a path on its own counts', () => {
  const { urlCharsMax: max } = GATEWAY_LIMITS;
  const host = (chars: number) => `${'a'.repeat(chars - 8)}.example`;
  const found = (text: string) => [...bareAddresses(text, endlessBudget())].map((address) => address.length);
  expect([
    found(host(max)),
    found(`${host(max)}/x`),
    found(`x ${host(max)}/x`),
    found(host(max + 1)),
    found(`${host(max + 1)}/x`),
    found(`x ${host(max + 1)}/x b.example/y`),
  ]).toEqual([[max], [max], [max], [], [max + 1], [9]]);
});

test('a URL in a longer text is examined up to its limit', () => {
  const { urlCharsMax: max } = GATEWAY_LIMITS;
  const [url = ''] = embeddedUrls(`see https://${'a'.repeat(max)}`);
  expect([url.length, url.startsWith('https://aaa')]).toEqual([max, true]);
});
