import fc from 'fast-check';
import { expect, test } from 'vitest';
import { naiveEndpoint } from '../../test/naive/bind.ts';
import { parseEndpoint } from './endpoint.ts';

test('[bind:S1] [bind:A12] an endpoint is published in its canonical form', () => {
  const canonical = {
    'https://sentinel.example.com/mcp': 'https://sentinel.example.com/mcp',
    'HTTPS://Sentinel.Example:443/A?b=c': 'https://sentinel.example/A?b=c',
    'https://h.example': 'https://h.example/',
    'https://h.example:8443/': 'https://h.example:8443/',
    'https://bücher.example/': 'https://xn--bcher-kva.example/',
    'https://8.8.8.8/': 'https://8.8.8.8/',
    'https://[2606:4700::1111]/': 'https://[2606:4700::1111]/',
  };
  const parsed = Object.keys(canonical).map((value) => parseEndpoint(value));
  expect(parsed).toEqual(Object.values(canonical).map((href) => ({ href, isPrivate: false })));
});

test('[bind:S13] [bind:A12] what is no HTTPS URL to a host is refused', () => {
  const refused = [
    'http://h.example/',
    'mcp://h.example/',
    'wss://h.example/',
    'h.example',
    '',
    'https://',
    'https:h.example',
    'https:/h.example',
    'https:///h.example',
    'https:\\\\h.example',
    'https://\\h.example',
    'https://h.example:0/',
    'https://h.example:65536/',
    'https://h..example:x/',
    'ftp://h/',
    'https://[::1',
    5,
    null,
    undefined,
    {},
    [],
  ];
  expect(refused.filter((value) => parseEndpoint(value))).toEqual([]);
});

test('[bind:U26] userinfo, fragments, white space and control characters are refused, empty ones too', () => {
  const refused = [
    'https://me@h.example/',
    'https://me:pw@h.example/',
    'https://@h.example/',
    'https:@h.example',
    'https://h.example/#',
    'https://h.example/#x',
    ' https://h.example/',
    'https://h.example/ ',
    'https://h.ex\tample/',
    'https://h.example/\u0000',
    'https://h.example/\u0085',
    'https://h.example/\u00a0',
    'https://h.example/a\nb',
  ];
  expect(refused.filter((value) => parseEndpoint(value))).toEqual([]);
  expect(parseEndpoint('https://h.example/a@b')?.href).toBe('https://h.example/a@b');
});

test('[bind:U26] value and canonical form are at most 2048 long', () => {
  const long = (length: number) => `https://h.example/${'a'.repeat(length - 'https://h.example/'.length)}`;
  expect([parseEndpoint(long(2048))?.href.length, parseEndpoint(long(2049))]).toEqual([2048, undefined]);
  const grows = `https://h.example/${'ä'.repeat(1000)}`;
  expect(parseEndpoint(grows)).toBe(undefined);
});

test('[bind:U25] [bind:A12] private addresses are recognised after parsing, in every spelling', () => {
  const hosts = [
    'localhost',
    'localhost.',
    'a.localhost',
    'LOCALHOST',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0.0.0.0',
    '0.1.2.3',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    'metadata.google.internal',
    'printer.local',
    'redis',
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:8.8.8.8]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2001::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[fc00::1]',
    '[fdff::1]',
    '[fe80::1]',
    '[febf::1]',
    '１２７.0.0.1',
  ];
  expect(hosts.filter((host) => !parseEndpoint(`https://${host}/`)?.isPrivate)).toEqual([]);
  const open = [
    '172.15.0.1',
    '172.32.0.1',
    '192.169.0.1',
    '169.253.0.1',
    '11.0.0.1',
    '100.128.0.1',
    '[64:ff9b::808:808]',
    '[2606:4700::1111]',
    'localhost.example',
    'internal.example',
  ];
  expect(open.filter((host) => parseEndpoint(`https://${host}/`)?.isPrivate !== false)).toEqual([]);
});

test('[bind:A12] any value is judged as the naive model judges it', () => {
  const part = fc.constantFrom(
    'https:',
    'HTTPS:',
    'http:',
    '//',
    '/',
    '\\',
    '@',
    ':',
    '443',
    '0',
    '127.1',
    '[::1]',
    '[::ffff:1.2.3.4]',
    'h.example',
    'localhost',
    '.',
    '#',
    '?',
    ' ',
    'é',
    '%2e',
    '10.0.0.1',
    '0x7f000001',
    '8.8.8.8',
    '[2001:db8::1]',
    '[2606:4700::1111]',
    'a.internal',
  );
  const value = fc.oneof(
    fc.webUrl(),
    fc.array(part, { maxLength: 7 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(value, (text) => {
      const endpoint = parseEndpoint(text);
      expect([endpoint?.href, endpoint?.isPrivate ? undefined : endpoint?.href]).toEqual([
        naiveEndpoint(text, true),
        naiveEndpoint(text, false),
      ]);
    }),
    { numRuns: 5000 },
  );
});
