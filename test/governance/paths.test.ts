import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { judge, type PolicyLayer } from '../../src/gateway/policy/decide.ts';
import { parsePolicy } from '../../src/gateway/policy/parse-policy.ts';
import { argumentFiles } from '../../src/runtime/policy/argument-files.ts';
import { goAbs, goExpandEnv, goParse } from '../naive/go-programs.ts';
import { pythonReadings } from '../support/python-programs.ts';

const numRuns = Number(process.env.POLICY_CASES ?? 3_000);
const base = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-paths-')));
afterAll(() => rmSync(base, { recursive: true }));
const home = join(base, 'home');
const elsewhere = join(base, 'elsewhere');
for (const folder of [home, elsewhere]) {
  mkdirSync(folder);
  writeFileSync(join(folder, 'secret'), '');
}

/** A project with links that lead out of its folder `docs`, into it, around and nowhere. */
function createProject(name: string): string {
  const cwd = join(base, name);
  mkdirSync(join(cwd, 'docs', 'sub'), { recursive: true });
  for (const file of ['secret', 'docs/a.md', 'docs/sub/b.md']) writeFileSync(join(cwd, file), '');
  symlinkSync(elsewhere, join(cwd, 'docs', 'out'));
  symlinkSync('../docs', join(cwd, 'docs', 'back'));
  symlinkSync('../../nowhere', join(cwd, 'docs', 'dangling'));
  symlinkSync('round', join(cwd, 'docs', 'round'));
  symlinkSync('docs/sub', join(cwd, 'in'));
  return cwd;
}
const plain = createProject('project');
/** Here the odd beginnings of paths are folders. */
const odd = createProject('odd');
for (const name of ['~', 'file:', 'https:']) symlinkSync('docs/out', join(odd, name));

const policyOf = (rules: object): PolicyLayer => ({
  layer: 'project',
  file: 'policy.json',
  policy: parsePolicy(JSON.stringify({ allowlist: { servers: ['*'], operations: { write: rules } } })),
});
const unnamed = (...roots: string[]) => policyOf({ allowed_roots: roots });
const named = (...roots: string[]) => policyOf({ allowed_roots: roots, path_arguments: ['/path'] });

function decide(layer: PolicyLayer, cwd: string, value: object) {
  const files = () => argumentFiles({ cwd, home, base: cwd });
  return judge([layer], { server: 'files', tool: 'write', now: undefined, arguments: { value, files } }).decision;
}
const isAllowed = (layer: PolicyLayer, cwd: string, path: string) => decide(layer, cwd, { path }).decision === 'allow';

describe('a path is allowed where every program that opens it stays below the roots [gateway:P6]', () => {
  test.each([
    ['docs', true],
    ['./docs', true],
    ['docs/', true],
    ['docs/new/file.md', true],
    ['docs/../docs/x', true],
    ['docs/my notes.md', true],
    ['docs/back/back/new', true],
    ['in/b.md', true],
    [`${plain}/docs/x`, true],
    [`file://${plain}/docs/x`, true],
    [`file://localhost${plain}/docs/x`, true],
    [`FILE:${plain}/docs/x`, true],
    ['', false],
    ['.', false],
    ['secret', false],
    ['.env', false],
    ['Makefile', false],
    ['notes/a.md', false],
    ['docs-private/a', false],
    ['/etc/passwd', false],
    [' /etc/passwd', false],
    ['\u00a0/etc/passwd', false],
    ['\n/etc/passwd', false],
    ['docs/../secret', false],
    ['docs/../../x', false],
    ['docs\\..\\..\\x', false],
    ['..\\x', false],
    ['docs/.. /secret', false],
    ['docs/out/passwd', false],
    ['docs/out/new/deep', false],
    // As the system walks it, this is next to the target of the link; to programs that normalise, it is in docs.
    ['docs/out/../secret', false],
    ['docs/back/out/x', false],
    ['docs/dangling', false],
    ['docs/dangling/x', false],
    ['docs/round/x', false],
    ['DOCS/a.md', false],
    ['~', false],
    ['~/x', false],
    ['~root/x', false],
    ['$HOME/x', false],
    ['docs/`id`', false],
    ['docs/*', false],
    ['docs/a?b', false],
    ['docs/[a]', false],
    ['docs/{a,b}', false],
    ['docs/%2a', false],
    ['docs/@(a)', false],
    ['docs/$SECRET/x', false],
    [`docs/$${'{SECRET}'}/x`, false],
    ['$9/etc/passwd', false],
    ['%USERPROFILE%\\x', false],
    ['docs/%2e%2e/secret', false],
    ['docs/%252e%252e/secret', false],
    ['docs/%25252525252e./secret', false],
    ['%2fetc%2fpasswd', false],
    ['docs/\0/../../etc', false],
    ['docs/a.md\0', false],
    ['docs/%00', false],
    ['file:///etc/passwd', false],
    ['FILE:///etc/passwd', false],
    ['file:/etc/passwd', false],
    ['file:etc/passwd', false],
    ['fi\tle:///etc/passwd', false],
    [' file:///etc/passwd', false],
    ['file://elsewhere/x', false],
    [`file://elsewhere${plain}/docs/x`, false],
    [`file://${plain}/docs%2F..%2F..%2Fx`, false],
    [`file://${plain}/docs/..%5c..%5cx`, false],
    ['sqlite:////etc/x.db', false],
    ['C:\\x', false],
    ['c:/x', false],
    ['\\\\host\\share\\x', false],
    ['//host/share/x', false],
    ['/proc/self/cwd/docs/a.md', false],
    ['/dev/fd/3', false],
    [`${plain}/docs/${'a/'.repeat(3_000)}`, false],
  ])('%j with the root ./docs: %j', (path, isInside) => {
    expect([isAllowed(unnamed('./docs'), plain, path), isAllowed(named('./docs'), plain, path)]).toEqual([
      isInside,
      isInside,
    ]);
  });

  test('a beginning that is a folder here is one to programs that do not know it', () => {
    for (const path of ['~/docs/x', `file://${odd}/docs/x`]) {
      const roots = ['./docs', join(home, 'docs')];
      expect([
        isAllowed(named(...roots), plain, path.replace(odd, plain)),
        isAllowed(named(...roots), odd, path),
      ]).toEqual([true, false]);
    }
  });

  test('a root may be the home of the person, the root of everything, a link or a folder that is not there yet', () => {
    const allows = (root: string, path: string) => isAllowed(named(root), plain, path);
    expect([
      allows('~/docs', '~/docs/x'),
      allows('~', join(home, 'x')),
      allows('/', '/etc/passwd'),
      allows('/', '~root/x'),
      allows('in', 'docs/sub/x'),
      allows('in', 'docs/a.md'),
      allows('later', 'later/x'),
      allows(`file://${plain}/docs`, 'docs/x'),
      allows('C:\\data', 'c:/data/x'),
      allows('C:/data', 'C:\\data\\..\\x'),
    ]).toEqual([true, true, true, false, true, false, true, true, true, false]);
  });

  test('a relative path is refused where nobody can say what it is relative to, and an absolute one is judged', () => {
    const files = () => argumentFiles({ cwd: { unknown: 'starts from nobody knows where' }, home, base: plain });
    const check = (path: string) =>
      judge([named('./docs')], { server: 's', tool: 'write', now: undefined, arguments: { value: { path }, files } })
        .decision;
    expect([check('docs/a.md'), check(join(plain, 'docs/a.md')), check('/etc/passwd')]).toMatchObject([
      { decision: 'deny', refused: { read_as: 'docs/a.md', why: 'starts from nobody knows where' } },
      { decision: 'allow' },
      { decision: 'deny' },
    ]);
  });
});

describe('strings of which nobody said that they are paths [gateway:P6]', () => {
  const decided = (value: object, ...roots: string[]) => decide(unnamed(...roots), plain, value);

  test.each([
    'cat /etc/passwd',
    'read "/etc/passwd"',
    'docs/a.md /etc/passwd',
    'docs/a.md;/etc/passwd',
    'docs/a.md,/etc/passwd',
    '--file=/etc/passwd',
    '@/etc/passwd',
    'docs:/etc',
    'see ~/x',
    'see ../x',
    'x file:///etc/passwd',
    'x=FILE:/etc/passwd',
    'copy C:\\x',
    '(/etc/passwd)',
    'https://a.example/?f=/etc/passwd',
    'price: $HOME',
  ])('%j holds a path that leads out, however much the rest is inside', (text) => {
    expect(decided({ text }, '.')).toMatchObject({
      decision: 'deny',
      rule: 'arguments',
      refused: { pointer: '/text' },
    });
    expect(decided({ a: [{ b: text }] }, '.')).toMatchObject({ decision: 'deny', refused: { pointer: '/a/0/b' } });
  });

  test.each([
    'hello',
    'either and/or both',
    'see docs/a.md',
    'https://a.example/x',
    'see https://a.example/x.',
    '50% of it',
    'Note: done',
  ])('%j leads nowhere else where the working directory is allowed', (text) => {
    expect(decided({ text }, '.').decision).toBe('allow');
  });

  test('any name is one below the working directory: the reason says how to name the arguments that are paths', () => {
    const value = { path: 'docs/a.md', content: 'hello' };
    expect(decided(value, './docs')).toMatchObject({
      decision: 'deny',
      refused: {
        pointer: '/content',
        value: 'hello',
        read_as: join(plain, 'hello'),
        why: expect.stringMatching(/^is outside of the allowed roots\. .*"path_arguments": \["\/path"\]$/),
      },
    });
    expect(decide(named('./docs'), plain, { ...value, content: 'see /etc/passwd' }).decision).toBe('allow');
  });

  test('names of members are strings as well; those of the arguments themselves are the tool’s', () => {
    expect([
      decided({ files: { 'docs/a.md': 1 } }, './docs').decision,
      decided({ files: { secret: 1 } }, './docs').decision,
      decided({ '/etc/passwd': 1 }, './docs').decision,
      decided({ 'docs/../secret': 1 }, './docs').decision,
    ]).toEqual(['allow', 'deny', 'deny', 'deny']);
  });

  test('a call with more texts than are judged is refused, one with as many is not', () => {
    const texts = (count: number) => ({ list: Array.from({ length: count }, (_, index) => `docs/${index}`) });
    const [many, more] = [decided(texts(1_000), '.'), decided(texts(1_001), '.')];
    expect([many.decision, more.decision, more.refused?.why]).toEqual([
      'allow',
      'deny',
      expect.stringContaining('more than 1000 texts'),
    ]);
  });
});

describe('arguments that are named as paths [gateway:P6]', () => {
  const layer = policyOf({ allowed_roots: ['docs'], path_arguments: ['/path', '/files', '/edits/*/path', '/a~1b'] });
  const decision = (value: object) => decide(layer, plain, value).decision;

  test('are judged at any depth, names of members included, and others are not', () => {
    expect([
      decision({ path: 'docs/x', content: '/etc/passwd' }),
      decision({ path: ['docs/x', { deep: 'secret' }] }),
      decision({ files: { secret: '' } }),
      decision({ files: { 'docs/x': 'docs/y' } }),
      decision({ edits: [{ path: 'docs/x', text: '/etc' }, { path: 'secret' }] }),
      decision({ edits: [{ path: 'docs/x', text: '/etc' }] }),
      decision({ 'a/b': 'secret' }),
      decision({ path: 'https://a.example/x' }),
      decision({}),
    ]).toEqual(['allow', 'deny', 'deny', 'allow', 'deny', 'allow', 'deny', 'deny', 'allow']);
  });

  test('are judged as a text too, where an object or a list with the path belongs', () => {
    expect([
      decision({ edits: '[{"path":"/etc/passwd"}]' }),
      decision({ edits: ['{"path":"/etc/passwd"}'] }),
      decision({ edits: 'secret' }),
      decision({ editing: '[{"path":"/etc/passwd"}]' }),
      decision(JSON.parse('{"__proto__":{"path":"/etc/passwd"}}')),
    ]).toEqual(['deny', 'deny', 'deny', 'allow', 'deny']);
  });

  test('are judged under any spelling that a program may take for the name', () => {
    const spellings = ['PATH', 'Path', 'pAth'].map((name) => decision({ path: 'docs/x', [name]: '/etc/passwd' }));
    const kelvin = decide(policyOf({ allowed_roots: ['docs'], path_arguments: ['/link'] }), plain, {
      'lin\u212a': '/etc',
    });
    expect([...spellings, kelvin.decision]).toEqual(['deny', 'deny', 'deny', 'deny']);
  });
});

/** What texts are made of: what paths begin with, names, steps, separators, and what programs put something else in the place of. */
const piece = fc.constantFrom(
  ...['docs', 'docs/', 'docs/', 'docs/sub/', 'a.md', 'secret', 'out', 'back', 'dangling', 'in', 'new', 'x', 'x'],
  ...['/', '/', '//', '\\', '..', '../', '..\\', '.', './', '...', ' ', '\t', '\n', '\u00a0', '~', '~/', '~root'],
  ...['$HOME', '$X', '$9', '%2e', '%2f', '%5c', '%252e', '%00', '%HOME%', '\0', '?', '#', '=', ',', ':', ';', '"'],
  ...['file:', 'FILE:', 'file://', 'file:///', 'localhost', 'https://', 'C:', 'c:\\'],
  ...[`${plain}/docs/`, `${plain}/`, `${odd}/docs/`, elsewhere, home, '/etc/passwd', '/proc/self/cwd/'],
);
const text = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 5 }).map((pieces) => `docs/${pieces.join('')}`),
);

/** Where a path leads: the links of what is there followed, by the system itself. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(realPlace(dirname(path)), basename(path));
  }
}

/** The paths that programs in Node open for a text, and those in Go. */
function opened(given: string, cwd: string): string[] {
  const env = { HOME: home, SECRET: '/etc' };
  const forms = [given, given.trim(), given.replaceAll('\\', '/'), goExpandEnv(given, env), unescapedByNode(given)];
  for (const url of [given, given.trim()]) {
    if (/^\s*file:/i.test(url) && URL.canParse(url)) forms.push(...pathOfUrl(url));
    const go = goParse(url);
    if (go?.scheme === 'file' && ['', 'localhost'].includes(go.hostname)) forms.push(go.path || go.opaque);
  }
  const expanded = forms.map((form) => (/^~(?:\/|$)/.test(form) ? home + form.slice(1) : form));
  return [...new Set([...forms, ...expanded])]
    .filter((form) => form !== '' && !form.includes('\0'))
    .flatMap((form) => [
      ...[...new Set([resolve(cwd, form), goAbs(form, cwd)])].map(realPlace),
      walked(form.startsWith('/') ? form : `${cwd}/${form}`),
    ]);
}

/** As the system walks it, one step at a time and links before steps back: what it cannot open is as good as there. */
function walked(path: string): string {
  let place = '/';
  for (const name of path.split('/')) place = name === '..' ? dirname(place) : realPlace(join(place, name));
  return place;
}

function unescapedByNode(given: string): string {
  try {
    return decodeURIComponent(given);
  } catch {
    return given;
  }
}

function pathOfUrl(url: string): string[] {
  try {
    return [fileURLToPath(url)];
  } catch {
    return [];
  }
}

test('no program in Node, Python or Go opens anything outside of the roots for a text that is allowed [gateway:P6] [gateway:FUZZ]', () => {
  const texts = [...new Set(fc.sample(text, { numRuns, seed: fc.readConfigureGlobal().seed ?? 0 }))];
  for (const cwd of [plain, odd]) {
    const docs = join(cwd, 'docs');
    const allowed = texts.filter((one) => isAllowed(named('./docs'), cwd, one));
    // Whatever is allowed without a name is allowed with it, unless it is a URL.
    const loose = texts.filter(
      (one) => isAllowed(unnamed('./docs'), cwd, one) && !/^\s*[a-z][a-z0-9+-]+:[\\/]{2}/i.test(one),
    );
    expect(loose.filter((one) => !allowed.includes(one))).toEqual([]);
    expect(allowed.length).toBeGreaterThan(texts.length / 50);
    const byPython = pythonReadings(allowed, { cwd, home });
    // A folder that is called like the beginning of a URL or like a home counts where there is one.
    const isNoFolder = (place: string) => {
      const [first = ''] = place.startsWith(`${cwd}/`) ? place.slice(cwd.length + 1).split('/', 1) : [];
      return /^(?:~|[a-z]+:)$/i.test(first) && !existsSync(join(cwd, first));
    };
    const isOutside = (place: string) => place !== docs && !place.startsWith(`${docs}/`) && !isNoFolder(place);
    const escapes = allowed.flatMap((one, index) => {
      const places = [...opened(one, cwd), ...(byPython?.[index]?.paths ?? [])].filter(isOutside);
      return places.length > 0 ? [[one, places]] : [];
    });
    expect(escapes).toEqual([]);
  }
});

test('no absolute path inside of an allowed text leads out of the roots [gateway:P6] [gateway:FUZZ]', () => {
  const words = fc.array(fc.oneof(text, fc.constantFrom('read', 'and', ' ', ' ', '=', ',', '("')), { maxLength: 5 });
  const texts = fc.sample(words, { numRuns, seed: fc.readConfigureGlobal().seed ?? 0 }).map((parts) => parts.join(''));
  const allowed = texts.filter((one) => isAllowed(unnamed('.'), plain, one));
  expect(allowed.length).toBeGreaterThan(texts.length / 50);
  const inside = /(?:^|[\s"'`=,;(<@[{|])(\/[^\s"'`<>|;,)]*)/g;
  const escapes = allowed.flatMap((one) =>
    [...one.matchAll(inside)]
      .map(([, path = '']) => realPlace(resolve(path)))
      .filter((place) => place !== plain && !place.startsWith(`${plain}/`))
      .map((place) => [one, place]),
  );
  expect(escapes).toEqual([]);
});
