import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { root, sourceFiles } from '../support/repository.ts';
import { importsOf } from '../support/source-imports.ts';

const DOMAINS = ['context', 'bind', 'civic', 'gateway'];

/** Which rooms a room may import, beside itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  libraries: ['contract'],
  files: ['contract'],
  context: ['contract', 'libraries'],
  bind: ['contract', 'libraries'],
  civic: ['contract', 'libraries'],
  gateway: ['contract', 'libraries'],
  wire: ['contract', 'libraries'],
  host: ['contract', 'libraries', 'files', 'wire', 'gateway'],
  store: ['contract', 'libraries', 'files', ...DOMAINS],
  proxy: ['contract', 'libraries', 'wire', 'gateway'],
  http: ['contract', 'libraries'],
  mcp: ['contract', 'libraries'],
  runtime: ['contract', 'libraries', 'files', ...DOMAINS, 'wire', 'host', 'proxy', 'store', 'http', 'mcp'],
  cli: ['contract', 'libraries', 'files', ...DOMAINS, 'wire', 'host', 'proxy', 'store', 'http', 'mcp', 'runtime'],
};

/** Pure functions of node:crypto: a domain may hash, it may not draw random numbers. */
const PURE_CRYPTO = [
  'createHash',
  'createHmac',
  'hash',
  'timingSafeEqual',
  'verify',
  'sign',
  'createPublicKey',
  'createPrivateKey',
  'KeyObject',
];

/** Clock, environment and randomness that a domain must be given. */
const AMBIENT =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.|\bperformance\.now\(|\bsetTimeout\(|\bsetInterval\(|\bfetch\(|\bcrypto\.(getRandomValues|randomUUID)/;

const sources = sourceFiles('src').map((file) => {
  const text = readFileSync(join(root, file), 'utf8');
  return { file, room: file.split('/')[1] as string, text, imports: importsOf(text) };
});
const isTest = (file: string) => file.endsWith('.test.ts') || file.includes('/testing/');

test('every folder of src is a room with its arrows written down', () => {
  expect([...new Set(sources.map(({ room }) => room))].filter((room) => !(room in ARROWS))).toEqual([]);
});

test('imports between rooms follow the arrows', () => {
  const wrong = sources
    .filter(({ file }) => !isTest(file))
    .flatMap(({ file, room, imports }) =>
      imports
        .filter(({ from }) => from.startsWith('.'))
        .map(({ from }) => relative(root, join(root, dirname(file), from)))
        .filter((target) => target.startsWith('src/'))
        .map((target) => target.split('/')[1] as string)
        .filter((target) => target !== room && !ARROWS[room]?.includes(target))
        .map((target) => `${file} imports ${target}`),
    );
  expect(wrong).toEqual([]);
});

/** The one door to large libraries, which are loaded when they are first used. */
const LATE_LIBRARY = 'src/libraries/late-library.ts';

test('the contract imports zod only', () => {
  const wrong = sources
    .filter(({ file, room }) => room === 'contract' && !isTest(file))
    .flatMap(({ file, imports }) =>
      imports
        .filter(({ from }) => !from.startsWith('.') && from !== 'zod')
        .map(({ from }) => `${file} imports ${from}`),
    );
  expect(wrong).toEqual([]);
});

test('what is loaded late is a library, not a part of Node', () => {
  const wrong = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/\blateLibrary(?:<[^>]*>)?\('([^']+)'\)/g)]
      .filter(([, name = '']) => isBuiltin(name))
      .map(([, name]) => `${file} loads ${name}`),
  );
  const loaders = sources.filter(({ text }) => text.includes('createRequire(')).map(({ file }) => file);
  expect([wrong, loaders.filter((file) => !isTest(file))]).toEqual([[], [LATE_LIBRARY]]);
});

test('[gateway:R7] domains have no files, network, clock, environment or randomness of their own', () => {
  const domains = sources.filter(({ file, room }) => DOMAINS.includes(room) && !isTest(file));
  const builtins = domains.flatMap(({ file, imports }) =>
    imports
      .filter(({ from, names }) => from.startsWith('node:') && !(from === 'node:crypto' && onlyPure(names)))
      .map(({ from, names }) => `${file} imports ${names} from ${from}`),
  );
  const ambient = domains.filter(({ text }) => AMBIENT.test(withoutComments(text))).map(({ file }) => file);
  expect([...builtins, ...ambient]).toEqual([]);
});

function onlyPure(names: string): boolean {
  return names
    .replaceAll(/[{}]|\btype\b/g, '')
    .split(',')
    .map((name) => name.replace(/ as .*$/, '').trim())
    .filter(Boolean)
    .every((name) => PURE_CRYPTO.includes(name));
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}
