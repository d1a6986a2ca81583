import { describe, expect, test } from 'vitest';
import { GATEWAY_LIMITS } from '../limits.ts';
import { NotJudged } from '../schema/steps.ts';
import { type ArgumentFiles, isBelow, refusedPath, refusedUrl } from './argument-places.ts';
import type { NamedPlace } from './argument-strings.ts';
import { judgedWith, plainFiles } from './testing/plain-files.ts';

const HOST = 'names a host that is not one of the allowed domains';
const FILE = 'names a file, and only domains are allowed';
const HINT =
  'Without "url_arguments" every string is searched for addresses; name those that are, such as "url_arguments": ["/url"]';
const place = { line: 1, pointer: '' };
const domains = (places?: readonly NamedPlace[]) => ({ ...place, domains: ['a.example'], places });
const roots = (places?: readonly NamedPlace[]) => ({ ...place, roots: ['/srv'], places });
const url = (value: unknown, places?: readonly NamedPlace[], within?: ReturnType<typeof roots>) =>
  refusedUrl(judgedWith(value), domains(places), within);

test.each([
  ['https://a.example/x', null],
  ['https://b.example/x', 'b.example'],
  ['see https://b.example/x', 'b.example'],
  ['see https://a.example/x, then https://b.example', 'b.example'],
  ['b.example/x', 'b.example'],
  ['a.example/x', null],
  ['b.example', 'b.example'],
  ['127.1', '127.1'],
  ['0:0:0:0:0:ffff:127.0.0.1', '[::ffff:7f00:1]'],
  ['call metadata:80 now', 'metadata'],
  ['git@b.example:x', 'b.example'],
  ['nothing', null],
  ['', null],
])('in %j, which may be anything, the refused host is %j', (text, host) => {
  const expected = host && { pointer: '/at/0', value: text, read_as: host, why: `${HOST}. ${HINT}` };
  expect(url({ at: [text] }) ?? null).toEqual(expected);
});

test('if paths are judged too, a name without a scheme is a path, but a numeric address is not', () => {
  const judged = (text: string) => url({ text }, undefined, roots())?.read_as;
  expect(['b.example/x', 'b.example', 'https://b.example', '127.1', 'metadata:80'].map(judged)).toEqual([
    undefined,
    undefined,
    'b.example',
    '127.1',
    'metadata',
  ]);
});

test('a member name is searched for URLs only, and a number for nothing', () => {
  expect([
    url({ deep: { 'https://b.example': 1 } })?.pointer,
    url({ 'https://b.example': 1 })?.pointer,
    url({ deep: { 'b.example/x': 1, '127.1': 1 } }),
    url({ deep: 127.1 }),
  ]).toEqual(['/deep/https:~1~1b.example', '/https:~1~1b.example', undefined, undefined]);
});

test('a file is refused if only domains are allowed, and judged by the roots if there are some', () => {
  const judged = (text: string, within?: ReturnType<typeof roots>, places?: readonly NamedPlace[]) =>
    url({ text }, places, within)?.why.replace(`. ${HINT}`, '');
  const OUTSIDE = 'is outside of the allowed roots';
  const texts = ['file:///srv/x', 'file:///etc/x', 'open file:///etc/x now'];
  expect([
    texts.map((text) => judged(text)),
    texts.map((text) => judged(text, roots())),
    texts.map((text) => judged(text, roots(), [['text']])),
    texts.map((text) => judged(text, undefined, [['text']])),
  ]).toEqual([
    [FILE, FILE, FILE],
    [undefined, OUTSIDE, OUTSIDE],
    [undefined, OUTSIDE, 'names a host that programs read in different ways'],
    [FILE, FILE, 'names a host that programs read in different ways'],
  ]);
  // A root that leads nowhere opens nothing.
  const nowhere: ArgumentFiles = { ...plainFiles(), root: () => undefined };
  expect([
    refusedUrl(judgedWith({ text: 'file:///srv/x' }, nowhere), domains(), roots())?.read_as,
    refusedPath(judgedWith({ text: '/srv/x' }, nowhere), roots())?.read_as,
    refusedPath(judgedWith({ text: '/srv/x' }), roots())?.read_as,
  ]).toEqual(['/srv/x', '/srv/x', undefined]);
});

test.each([
  ['a.example', null],
  ['a.example:80/x', null],
  ['https://a.example', null],
  ['b.example', 'b.example'],
  ['//b.example/x', 'b.example'],
  ['intranet', 'intranet'],
  ['', null],
  ['?q=https://b.example', null],
  ['#part', null],
  ['/x', null],
  ['./x', null],
  ['..', null],
  [' /x', null],
])('the argument %j, which is an address, has the refused host %j', (text, host) => {
  const expected = host && { pointer: '/url', value: text, read_as: host, why: HOST };
  expect(url({ url: text, other: 'https://c.example' }, [['url']]) ?? null).toEqual(expected);
});

test('an address argument may be a number, and one that is not a valid host is refused', () => {
  expect([
    url({ url: 2130706433 }, [['url']])?.read_as,
    url({ url: 'ä.example' }, [['url']]),
    url({ url: 'https://a@b@c' }, [['url']])?.why,
  ]).toEqual([
    '2130706433',
    { pointer: '/url', value: 'ä.example', read_as: null, why: 'names a host that is not written in ASCII' },
    'names a host that programs read in different ways',
  ]);
});

/** Why arguments are refused. */
function outcome(judge: () => { readonly why: string } | undefined): string | undefined {
  try {
    return judge()?.why.replace(`. ${HINT}`, '');
  } catch (thrown) {
    if (thrown instanceof NotJudged) return 'not judged';
    throw thrown;
  }
}

describe('what a call may have', () => {
  test('the number of judged texts is limited; a repeated text does not count', () => {
    const { judgedTextsMax: max } = GATEWAY_LIMITS;
    const texts = (count: number) => Array.from({ length: count }, (_, at) => `/srv/${at}`);
    const urls = (count: number) => Array.from({ length: count }, (_, at) => `https://a.example/${at}`);
    const why = (values: string[], places?: readonly NamedPlace[]) =>
      refusedPath(judgedWith({ path: values }), roots(places))?.why;
    const TOO_MANY = `is one of more than ${max} texts that would have to be judged`;
    expect([
      why(texts(max), [['path']]),
      why(texts(max + 1), [['path']]),
      why([...texts(max), ...texts(max)], [['path']]),
      url(urls(max), [['*']])?.why,
      url(urls(max + 1), [['*']])?.why,
      url(urls(max + 1), [['*']])?.read_as,
    ]).toEqual([undefined, TOO_MANY, undefined, undefined, TOO_MANY, null]);
  });

  test('words that may be addresses and long paths cost steps, and more than the budget has are not judged', () => {
    const urlOutcome = (text: string) => outcome(() => url({ text }));
    const pathOutcome = (paths: readonly string[]) =>
      outcome(() => refusedPath(judgedWith({ paths }), roots([['paths']])));
    const paths = (length: number, part: string) =>
      Array.from({ length }, (_, at) => `file:///srv/\\b~/${part.repeat(650)}${at}`);
    expect([
      urlOutcome('. '.repeat(20_000)),
      urlOutcome('. '.repeat(200_000)),
      urlOutcome('a '.repeat(1_000_000)),
      urlOutcome(`${'a '.repeat(200_000)}https://b.example`),
      urlOutcome('\u00e4 '.repeat(500_000)),
      url({ ['. '.repeat(200_000)]: 1 }),
      pathOutcome(paths(5, '%2541/')),
      pathOutcome(paths(999, '%2541/')),
      pathOutcome(paths(20, 'a/')),
      pathOutcome(paths(999, 'a/')),
    ]).toEqual([
      ...[undefined, 'not judged', undefined, HOST, 'not judged', undefined],
      ...[undefined, 'not judged', undefined, 'not judged'],
    ]);
  });
});

test('a path is below a root or equal to it, with or without a trailing slash of the root', () => {
  const pairs = [
    ['/srv', '/srv', true],
    ['/srv/x', '/srv', true],
    ['/srv/x', '/srv/', true],
    ['/srv', '/srv/', false],
    ['/srv-x', '/srv', false],
    ['/x/srv/', '/srv', false],
    ['/x', '/', true],
    ['/', '/', true],
  ] as const;
  expect(pairs.map(([path, root]) => isBelow(path, root))).toEqual(pairs.map(([, , isIt]) => isIt));
});

test('every place that a path may lead to must be allowed, and one that cannot be opened is refused', () => {
  const why = (text: string, open: ArgumentFiles['open'], places?: readonly NamedPlace[]) =>
    refusedPath(judgedWith({ path: text }, { ...plainFiles(), open }), roots(places));
  const named = [['path']];
  expect([
    why('/srv/x', () => undefined, named),
    why('/srv/x', () => ['/srv/x', '/etc/x'], named)?.read_as,
    why('/srv/x', () => ['/srv/x', '/srv/y'], named),
    why('https://a.example', () => [], named)?.why,
    why('https://a.example', () => [], undefined),
  ]).toEqual([
    { pointer: '/path', value: '/srv/x', read_as: '/srv/x', why: 'is a path that no program can open' },
    '/etc/x',
    undefined,
    'is a URL, and no path',
    undefined,
  ]);
});

test('if the server’s folder is unknown, a prefix such as `file:` is not read as a folder in it', () => {
  const files = plainFiles({ unknown: 'is nowhere' });
  const rule = { ...place, roots: ['/home/me', '/srv'], places: [['path']] };
  const read = (path: string) => refusedPath(judgedWith({ path }, files), rule);
  expect([read('~/x'), read('/srv/x'), read('x')?.read_as, read('x')?.why]).toEqual([
    undefined,
    undefined,
    'x',
    'is nowhere',
  ]);
});

test('without named places the paths in a text count, and an argument name only if it looks like one', () => {
  const rule = { ...place, roots: ['/srv/in'], places: undefined };
  const read = (value: unknown) => refusedPath(judgedWith(value), rule)?.pointer;
  expect([
    read({ '/srv/in/': ['cat /etc/x'] }),
    read({ '/srv/in/': ['/srv/in/x', 5, null] }),
    read({ '/etc/x': 1 }),
    read({ plain: 1 }),
    read({ '..': 1 }),
    read({ deep: { plain: 1 } }),
    read({ deep: { '/srv/in/x': 1 } }),
    read({ plain: 'plain' }),
  ]).toEqual(['/~1srv~1in~1/0', undefined, '/~1etc~1x', undefined, '/..', '/deep/plain', undefined, '/plain']);
});
