import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../context/hash.ts';
import { buildFrom, inFolder } from './testing/folders.ts';
import { verifyFolder } from './verify-cache.ts';

const SOURCES = { 'a.md': 'alpha beta', 'b.md': 'beta', 'c.md': 'beta' };
const problemsOf = async (cache: string) =>
  (await verifyFolder(cache, new AbortController().signal, () => {})).problems;
const change = (path: string, from: string | RegExp, to: string) =>
  writeFileSync(path, readFileSync(path, 'latin1').replace(from, to), 'latin1');

test('[context:V1] a cache as it was built has no problems, nor has one that was built without postings', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    expect(await problemsOf(cache)).toEqual([]);
    for (const name of ['postings.bin', 'search.bin']) rmSync(join(cache, name));
    change(join(cache, 'manifest.json'), /,\n {2}"postings": \{[^}]*\}/, '');
    expect(await problemsOf(cache)).toEqual([]);
  }));

const damages: [string, (cache: string, file: string) => unknown, (file: string) => string[]][] = [
  [
    'a stranger',
    (cache) => writeFileSync(join(cache, 'documents/x.json'), ''),
    () => ['documents/x.json: the manifest does not list it'],
  ],
  ['a missing document', (cache, file) => rmSync(join(cache, file)), (file) => [`${file}: a document is missing`]],
  [
    'a changed document',
    (cache, file) => change(join(cache, file), 'alpha', 'omega'),
    (file) => [`${file}: a document is not the one that the manifest lists`],
  ],
  ['no index', (cache) => rmSync(join(cache, 'index.json')), () => ['index.json: it is missing']],
  [
    'another index',
    (cache) => change(join(cache, 'index.json'), 'a.md', 'z.md'),
    () => ['index.json: it does not list the documents of the manifest'],
  ],
  [
    'a wrong cache_version',
    (cache) => change(join(cache, 'manifest.json'), /sha256:[0-9a-f]{4}/, 'sha256:0000'),
    () => ['the manifest is not valid'],
  ],
  [
    'changed postings',
    (cache) => change(join(cache, 'postings.bin'), 'alpha', 'alphb'),
    () => ['postings.bin: the postings are not the ones that the manifest names'],
  ],
  [
    'postings that lie although the manifest names them',
    (cache) => {
      change(join(cache, 'postings.bin'), 'alpha', 'alphb');
      const sha256 = sha256Hex(readFileSync(join(cache, 'postings.bin')));
      change(join(cache, 'manifest.json'), /"sha256": "[0-9a-f]{64}"/, `"sha256": "${sha256}"`);
    },
    () => ['postings.bin: it does not match the documents'],
  ],
  ['missing postings', (cache) => rmSync(join(cache, 'postings.bin')), () => ['postings.bin: it is missing']],
  ['a missing search index', (cache) => rmSync(join(cache, 'search.bin')), () => ['search.bin: it is missing']],
  [
    'documents elsewhere',
    (cache) => {
      renameSync(join(cache, 'documents'), `${cache}-documents`);
      symlinkSync(`${cache}-documents`, join(cache, 'documents'));
    },
    () => ['it has no folder of documents'],
  ],
];

test.each(damages)('[context:V1] [context:Z7b] verify names %s', (_, damage, problems) =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    const file = JSON.parse(readFileSync(join(cache, 'index.json'), 'utf8'))['a.md'];
    damage(cache, file);
    expect(await problemsOf(cache)).toEqual(problems(file));
  }),
);

test('[context:V1] [context:Z4] verify names documents whose file names are exchanged', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    const { 'b.md': short, 'c.md': long } = JSON.parse(readFileSync(join(cache, 'index.json'), 'utf8'));
    const other = `${short.slice(0, -5)}-${sha256Hex('b.md').slice(0, 8)}.json`;
    renameSync(join(cache, short), join(cache, other));
    renameSync(join(cache, long), join(cache, short));
    for (const name of ['index.json', 'manifest.json']) {
      change(join(cache, name), short, other);
      change(join(cache, name), long, short);
    }
    expect(await problemsOf(cache)).toEqual([
      `${other}: it should have another name`,
      `${short}: it should have another name`,
    ]);
  }));
