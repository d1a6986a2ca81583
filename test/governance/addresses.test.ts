import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge, type PolicyLayer } from '../../src/gateway/policy/decide.ts';
import { parsePolicy } from '../../src/gateway/policy/parse-policy.ts';
import { plainFiles } from '../../src/gateway/policy/testing/plain-files.ts';
import { goParse } from '../naive/go-programs.ts';
import { pythonReadings } from '../support/python-programs.ts';

const numRuns = Number(process.env.POLICY_CASES ?? 10_000);
const DOMAINS = ['a.example', '.b.example', '127.0.0.1', '::1'];

const policyOf = (rules: object): PolicyLayer => ({
  layer: 'project',
  file: 'policy.json',
  policy: parsePolicy(JSON.stringify({ allowlist: { servers: ['*'], operations: { get: rules } } })),
});
const unnamed = policyOf({ allowed_domains: DOMAINS });
const named = policyOf({ allowed_domains: DOMAINS, url_arguments: ['/url'] });
const withRoots = policyOf({ allowed_domains: DOMAINS, allowed_roots: ['/srv/project'] });

const decide = (layer: PolicyLayer, value: object) =>
  judge([layer], { server: 'web', tool: 'get', now: undefined, arguments: { value, files: () => plainFiles() } })
    .decision;
const isAllowed = (layer: PolicyLayer, url: string) => decide(layer, { url }).decision === 'allow';

describe('an address is allowed where every program reads an allowed host in it [gateway:P6]', () => {
  test.each([
    ['https://a.example', true],
    ['HTTPS://A.Example:8443/x?y#z', true],
    ['https://a.example./x', true],
    ['https://user:word@a.example/x', true],
    ['https://x.b.example/', true],
    ['https:a.example', true],
    ['https:\\\\a.example', true],
    [' https://a.example', true],
    ['//a.example/x', true],
    ['http://127.0.0.1/', true],
    ['http://[::1]:80/', true],
    ['http://[0:0:0:0:0:0:0:1]/', true],
    ['a.example/x', true],
    ['a.example', true],
    ['https://evil.example', false],
    ['HTTPS://evil.example', false],
    ['https:evil.example', false],
    ['https:/evil.example', false],
    ['https:///evil.example', false],
    ['https:\\\\evil.example', false],
    ['https://a.example\\x', false],
    ['https://\\a.example', false],
    ['https:/\\evil.example', false],
    ['ht\ntps://evil.example', false],
    ['https:/\t/evil.example', false],
    ['\u0000https://evil.example', false],
    ['//evil.example/x', false],
    ['\\\\evil.example\\x', false],
    ['/\\evil.example', false],
    ['https://a.example@evil.example', false],
    ['https://a.example:80@evil.example', false],
    ['https://a.example @evil.example', false],
    ['https://a@b@a.example', false],
    ['https://a.example\\@evil.example', false],
    ['https://evil.example\\@a.example', false],
    ['https://evil.example#@a.example', false],
    ['https://evil.example?@a.example', false],
    ['https://a.example%2eevil.example', false],
    ['https://a.example%00.evil.example', false],
    ['https://a.example\n.evil.example/', false],
    ['https://a.example,evil.example', false],
    ['https://a.example".evil.example/', false],
    ['a.example".evil.example/x', false],
    ['https://\uff41.example', false],
    ['https://a\u3002example', false],
    ['https://a\uff0eexample', false],
    ['https://a.example\uff0fx@evil.example', false],
    ['https://a\u00ad.example', false],
    ['https://a.example..', false],
    ['https://b.example', false],
    ['https://.b.example', false],
    ['https://xb.example', false],
    ['http://0x7f.1/', false],
    ['http://2130706433/', false],
    ['http://127.1/', false],
    ['http://[::ffff:127.0.0.1]/', false],
    ['http://[::1%25eth0]/', false],
    ['http://[::1', false],
    ['http://a.example:80:80/', false],
    ['http://a.example:x@evil.example/', false],
    ['http:///', false],
    ['http://', false],
    ['gopher://evil.example/x', false],
    ['file:///etc/passwd', false],
    ['FILE:/etc/passwd', false],
    ['evil.example/x', false],
    ['evil.example', false],
    ['evil.example:8080/x', false],
    ['evil.example:8080', false],
    ['localhost:8080/x', false],
    ['metadata/computeMetadata', false],
    ['10.0.0.1/x', false],
    ['[::2]/x', false],
    ['me@evil.example', false],
    ['git@evil.example:path/x', false],
    ['ev\til.example/x', false],
    ['\uff45vil.example/x', false],
  ])('%j: %j', (url, isInside) => {
    expect([isAllowed(unnamed, url), isAllowed(named, url)]).toEqual([isInside, isInside]);
  });

  test.each([
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '0177.0.0.1',
    '169.254.43518',
    '::2',
    '[::2]:80',
    '::ffff:127.0.0.1',
    'metadata:80',
    'localhost',
    'LOCALHOST.',
    'localhost:80',
    '１２７.1',
    'nc -v 10.0.0.1',
    'ping ::2',
    'ssh metadata:22 please',
    'host=0x7f.1',
  ])('%j is dialled without a scheme, and refused', (text) => {
    const nested = { text: [{ text }] };
    expect([isAllowed(unnamed, text), decide(unnamed, nested).decision]).toEqual([false, 'deny']);
  });

  test.each(['127.0.0.1', '::1', '[::1]:80', '127.0.0.1:80', 'ping 127.0.0.1', 'a.example:80'])(
    '%j is dialled without a scheme, and allowed',
    (text) => {
      expect(isAllowed(unnamed, text)).toBe(true);
    },
  );

  test('where paths are judged as well, an address is none', () => {
    const verdicts = ['127.1', '::2', 'metadata:80', '1.2.3'].map((text) => decide(withRoots, { text }).decision);
    expect(verdicts).toEqual(['deny', 'deny', 'deny', 'allow']);
  });

  test.each([
    '1.5',
    '1.2.3',
    '10.1',
    '2130706433',
    '007',
    '12:30',
    'It takes 12:30 to 14:00, or 1.5 h.',
    'std::string',
  ])('%j is no address', (text) => {
    expect(isAllowed(unnamed, text)).toBe(true);
  });

  test('a number is judged as its text where its argument is an address or a path, and nowhere else', () => {
    const values = [2130706433, 127.1, [2130706433], { a: 1 }];
    expect(values.map((url) => decide(named, { url }).decision)).toEqual(['deny', 'deny', 'deny', 'deny']);
    expect(decide(named, { url: 'https://a.example', other: 2130706433 }).decision).toBe('allow');
    expect(decide(unnamed, { url: 2130706433 }).decision).toBe('allow');
    const below = policyOf({ allowed_domains: DOMAINS, url_arguments: ['/target/url'] });
    expect(decide(below, { target: 5 }).decision).toBe('allow');
    const paths = policyOf({ allowed_roots: ['/nowhere'], path_arguments: ['/path'] });
    expect(decide(paths, { path: 3 }).decision).toBe('deny');
  });

  test('a word on its own is a host where its argument is one', () => {
    expect([isAllowed(named, 'metadata'), isAllowed(unnamed, 'metadata')]).toEqual([false, true]);
  });

  test.each(['', '/x', './x', '../x', '?q=1', '#top', '/x/https'])(
    '%j stays at the address of the server itself',
    (url) => {
      expect([isAllowed(named, url), isAllowed(unnamed, url)]).toEqual([true, true]);
    },
  );

  test('the answer says which string, where it stands, and what it was read as', () => {
    expect(decide(unnamed, { list: ['x', { url: 'https://a.example\\@evil.example/' }] })).toMatchObject({
      decision: 'deny',
      rule: 'arguments',
      pointer: '/allowlist/operations/get/allowed_domains',
      refused: {
        pointer: '/list/1/url',
        value: 'https://a.example\\@evil.example/',
        read_as: 'evil.example',
        why: expect.stringMatching(/^names a host that is not one of the allowed domains\. .*"url_arguments"/),
      },
    });
  });
});

describe('addresses inside of longer strings [gateway:P6]', () => {
  test.each([
    'see https://evil.example/x for more',
    'see https://a.example/ and HTTP://evil.example',
    'https://a.example/ https://evil.example/',
    '<a href="//evil.example">',
    '//evil.example/ and more',
    'https://evil.example/ and more',
    'view-source:https://evil.example',
    'jdbc:postgresql://evil.example/db',
    'x=https:evil.example',
    'read file:///etc/passwd',
    'curl evil.example/x',
    'nc localhost:80 now',
    'https://a.example)(https://evil.example',
    'see https://a.example".evil.example/ now',
  ])('%j leads elsewhere', (text) => {
    expect([decide(unnamed, { text }).decision, decide(unnamed, { text: [[text]] }).decision]).toEqual([
      'deny',
      'deny',
    ]);
  });

  test.each([
    'see https://a.example/x, or (https://x.b.example).',
    '<a href="https://a.example">it</a> and {"url": "https://a.example"}',
    'https://a.example is nice',
    'nothing here',
    'GET',
    'Note: 12:30, version 1.2.3',
    'see README.md',
    'either and/or both',
    'mailto: later',
  ])('%j does not', (text) => {
    expect(decide(unnamed, { text }).decision).toBe('allow');
  });

  test('where paths are judged as well, what has no scheme is a path', () => {
    expect([
      decide(withRoots, { path: 'evil.example/x' }).decision,
      decide(withRoots, { path: 'https://evil.example/x' }).decision,
      decide(withRoots, { path: 'file:///srv/project/x' }).decision,
      decide(withRoots, { path: 'file:///etc/passwd' }).decision,
    ]).toEqual(['allow', 'deny', 'allow', 'deny']);
  });

  test('a file behind the name of an address is judged by the roots, whichever arguments they are for', () => {
    const layer = policyOf({
      allowed_domains: DOMAINS,
      url_arguments: ['/url'],
      allowed_roots: ['/srv/project'],
      path_arguments: ['/path'],
    });
    expect([
      decide(layer, { url: 'file:///etc/passwd' }).decision,
      decide(layer, { url: 'file:///srv/project/x' }).decision,
      decide(layer, { path: '/srv/project/x', url: 'https://a.example', text: 'https://evil.example /etc' }).decision,
    ]).toEqual(['deny', 'allow', 'allow']);
  });

  test('a text with more words that may be addresses than can be judged is refused', () => {
    const words = (count: number) => 'a. '.repeat(count);
    expect([words(20_000), words(200_000)].map((text) => decide(unnamed, { text }).rule)).toEqual([
      'server_listed',
      'arguments_not_judged',
    ]);
  });

  test('a text of any length is judged in one pass', () => {
    const lengthy = ['aaaa', '    ', 'https:', '=/=/', 'a.b:', '::::', '[[[[', '%2f%', 'a@a@', '\\\\\\\\'];
    for (const part of lengthy) {
      const text = part.repeat(1_000_000 / part.length);
      decide(unnamed, { text });
      decide(named, { url: text });
      decide(withRoots, { text });
    }
    expect(decide(unnamed, { text: `${'word '.repeat(100_000)} https://evil.example` }).decision).toBe('deny');
  });
});

const piece = fc.constantFrom(
  ...[
    'https:',
    'https://',
    'http://',
    'HTTP:',
    'wss:',
    'ftp://',
    'foo://',
    '//',
    '/',
    '\\',
    '\\\\',
    '@',
    ':',
    ':80',
    '.',
  ],
  ...[
    'a.example',
    'a.example',
    'a.example',
    'x.b.example',
    'evil.example',
    'evil',
    '127.0.0.1',
    '[::1]',
    '[',
    ']',
    '0x7f.1',
  ],
  ...[
    '#',
    '?',
    '%2e',
    '%40',
    '%',
    ' ',
    '\t',
    '\n',
    '\u0000',
    '\u3002',
    '\uff0e',
    '\uff41',
    '\u00ad',
    'user',
    'x',
    ',',
    ';',
    '"',
  ],
);
const url = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 6 }).map((pieces) => `https://${pieces.join('')}`),
  fc.array(piece, { maxLength: 4 }).map((pieces) => `https://a.example${pieces.join('')}`),
);

/** By the words of the policy alone. */
function isListed(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[|\]$/g, '');
  return ['a.example', '127.0.0.1', '::1'].includes(name) || /^[^.].*\.b\.example$/.test(name);
}

/** The hosts that programs in Node and Go reach. */
function reached(text: string): string[] {
  return [text, text.trim()].flatMap((one) => {
    const node = URL.parse(one);
    const isWeb = node && /^(?:https?|wss?|ftp):$/.test(node.protocol);
    return [isWeb ? node.hostname : '', goParse(one)?.hostname ?? ''];
  });
}

test('no program in Node, Python or Go reaches another host by a text that is allowed [gateway:P6] [gateway:FUZZ]', () => {
  const texts = [...new Set(fc.sample(url, { numRuns, seed: fc.readConfigureGlobal().seed ?? 0 }))];
  for (const layer of [unnamed, named]) {
    const allowed = texts.filter((one) => isAllowed(layer, one));
    expect(allowed.length).toBeGreaterThan(texts.length / 50);
    // Where an argument is an address, programs put a scheme before what has none and is no reference.
    const isBare = (one: string) => !/^[\s\u0000]*(?:$|[/\\?#.]|[^/\\?#]*:(?!\d+(?:$|[/\\?#])))/.test(one);
    const judged = layer === named ? [...allowed, ...allowed.filter(isBare).map((one) => `https://${one}`)] : allowed;
    expect(judged.length > allowed.length).toBe(layer === named);
    const byPython = pythonReadings(judged, { cwd: tmpdir(), home: tmpdir() });
    const escapes = judged.flatMap((one, index) => {
      const hosts = [...reached(one), ...(byPython?.[index]?.hosts ?? [])];
      const others = hosts.filter((host) => host !== '' && !/[\s\u0000-\u001f]/.test(host) && !isListed(host));
      return others.length > 0 ? [[one, others]] : [];
    });
    expect(escapes).toEqual([]);
  }
});
