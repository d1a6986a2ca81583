import fc from 'fast-check';
import { expect, test } from 'vitest';
import { naiveCacheVersion, naiveCompare, naiveFiles, naiveVersion } from '../../test/naive/context.ts';
import { type DocumentEntry, type DocumentTable, tableOf } from './document-table.ts';
import { encodeIndex, indexLists } from './index-file.ts';
import { decodeManifest, encodeManifest, parseManifest } from './manifest.ts';
import { scanManifest } from './manifest-scan.ts';
import { anyDocuments, propertyRuns } from './testing/arbitraries.ts';

const CREATED = '2026-02-09T15:12:47.167354Z';
const SHA = 'ab'.repeat(32);

interface Source {
  readonly id: string;
  readonly content: string;
}

function tableOfSources(sources: readonly Source[]): DocumentTable {
  const files = naiveFiles(sources);
  const entries: DocumentEntry[] = [...sources]
    .sort((left, right) => naiveCompare(left.id, right.id))
    .map(({ id, content }) => ({
      id,
      version: naiveVersion(content),
      isRepeated: (files.get(id) as string).includes('-'),
    }));
  return tableOf(entries);
}

/** The manifest by JSON.stringify. */
function naiveManifest(sources: readonly Source[], postingsSha256: string | undefined): string {
  const files = naiveFiles(sources);
  return JSON.stringify(
    {
      cache_version: naiveCacheVersion(sources),
      build_config: { version: '1', hash_algorithm: 'sha256' },
      created_at: CREATED,
      document_count: sources.length,
      documents: [...sources]
        .sort((left, right) => naiveCompare(left.id, right.id))
        .map(({ id, content }) => ({ id, version: naiveVersion(content), file: files.get(id) })),
      ...(postingsSha256 ? { postings: { file: 'postings.bin', sha256: postingsSha256 } } : {}),
    },
    null,
    2,
  );
}

const list = (table: DocumentTable) =>
  Array.from({ length: table.count }, (_, index) => [table.id(index), table.version(index), table.file(index)]);
const read = (manifest: ReturnType<typeof decodeManifest>) => manifest && { ...manifest, table: list(manifest.table) };
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text));

const anySources = anyDocuments.map((documents) =>
  documents.map(({ name, content }) => ({ id: name.toLowerCase(), content })),
);
const SOURCES = [
  { id: 'a.md', content: 'one' },
  { id: 'b.md', content: 'one' },
  { id: 'é.md', content: 'two' },
];

test('[context:C1] [context:C2] [context:Z4] any manifest and index are the pretty JSON of their documents, and read back', () => {
  fc.assert(
    fc.property(anySources, fc.constantFrom(undefined, SHA), (sources, postings) => {
      const table = tableOfSources(sources);
      const text = encodeManifest(table, CREATED, postings);
      expect(text).toBe(naiveManifest(sources, postings));
      expect(encodeIndex(table)).toBe(
        JSON.stringify(Object.fromEntries(list(table).map(([id, , file]) => [id, file])), null, 2),
      );
      expect(read(decodeManifest(bytesOf(text)))).toEqual({
        cacheVersion: naiveCacheVersion(sources),
        table: list(table),
        postingsSha256: postings,
      });
    }),
    { numRuns: propertyRuns },
  );
});

test('[context:C2] the version of an empty cache is the published one', () => {
  expect(tableOf([]).cacheVersion()).toBe('sha256:a77ff76f65e3cd4cd0071b4af8f5294a77f67b6fe0c938a383db5e1271e913ee');
});

test('the fast reader reads the usual layout, with postings and without', () => {
  expect(read(scanManifest(bytesOf(naiveManifest(SOURCES, SHA))))?.table.length).toBe(3);
  expect(read(scanManifest(bytesOf(naiveManifest(SOURCES, undefined))))?.table.length).toBe(3);
  expect(read(scanManifest(bytesOf(naiveManifest(SOURCES.slice(0, 1), undefined))))?.table.length).toBe(1);
});

test('[context:V2] whatever happens to a manifest, the fast reader never reads what the parser reads differently', () => {
  const originals = [SHA, undefined].map((postings) => Buffer.from(naiveManifest(SOURCES, postings)));
  const change = fc.record({
    at: fc.nat((originals[0] as Buffer).length - 1),
    original: fc.constantFrom(...originals),
    remove: fc.nat(3),
    insert: fc.uint8Array({ maxLength: 3 }),
  });
  fc.assert(
    fc.property(change, fc.boolean(), ({ at, original, remove, insert }, isText) => {
      const inserted = isText ? insert.map((byte) => (byte % 95) + 32) : insert;
      const bytes = Uint8Array.from(
        Buffer.concat([original.subarray(0, at), inserted, original.subarray(at + remove)]),
      );
      const scanned = scanManifest(bytes);
      if (scanned) expect(read(scanned)).toEqual(read(parseManifest(bytes)));
    }),
    { numRuns: propertyRuns * 20 },
  );
});

test('[context:V2] unknown keys, another layout and another order of documents are allowed', () => {
  const value = JSON.parse(naiveManifest(SOURCES, undefined));
  const table = list(tableOfSources(SOURCES));
  for (const variant of [
    { ...value, note: 'x' },
    { ...value, documents: [...value.documents].reverse() },
    { ...value, build_config: { hash_algorithm: 'sha256', version: '1', extra: 1 } },
  ]) {
    expect(read(decodeManifest(bytesOf(JSON.stringify(variant))))?.table).toEqual(table);
  }
});

const value = JSON.parse(naiveManifest(SOURCES, SHA));
const [first, ...others] = value.documents;
const withFirst = (change: object) => ({ ...value, documents: [{ ...first, ...change }, ...others] });

test.each([
  ['[context:Z7b] a wrong cache_version', { ...value, cache_version: naiveVersion('x') }],
  [
    '[context:Z1] an unknown build_config.version',
    { ...value, build_config: { version: '999', hash_algorithm: 'sha256' } },
  ],
  ['another hash', { ...value, build_config: { version: '1', hash_algorithm: 'md5' } }],
  ['a wrong document_count', { ...value, document_count: 4 }],
  ['no document_count', { ...value, document_count: undefined }],
  ['no created_at', { ...value, created_at: undefined }],
  ['a created_at that is no time', { ...value, created_at: 'yesterday' }],
  ['documents that are no list', { ...value, documents: {} }],
  ['an entry that is no object', { ...value, documents: [null, ...others] }],
  ['[context:Z9] a file outside of the cache', withFirst({ file: '../../etc/passwd.json' })],
  ['[context:Z9] an absolute file', withFirst({ file: '/etc/passwd' })],
  ['a file that its version does not name', withFirst({ file: 'documents/000000000000.json' })],
  ['a version that is no digest', withFirst({ version: 'sha256:x' })],
  ['an id twice', { ...value, document_count: 4, documents: [first, ...value.documents] }],
  ['postings elsewhere', { ...value, postings: { file: '../postings.bin', sha256: SHA } }],
  ['null', null],
])('[context:V2] a manifest with %s is not valid', (_, changed) => {
  expect(decodeManifest(bytesOf(JSON.stringify(changed, null, 2)))).toBeUndefined();
});

test('[context:V2] a key that is there twice, half a file, no JSON and no UTF-8 are not valid', () => {
  const text = naiveManifest(SOURCES, SHA);
  for (const bytes of [
    bytesOf(text.replace('"created_at"', '"document_count": 3,\n  "created_at"')),
    bytesOf(text.slice(0, text.length / 2)),
    bytesOf('not JSON'),
    bytesOf(''),
    Uint8Array.from(Buffer.from(text, 'latin1')),
  ]) {
    expect(decodeManifest(bytes)).toBeUndefined();
  }
});

test('[context:C5] an index counts in its present and in its old form, and must list the same documents', () => {
  const table = tableOfSources(SOURCES);
  const files = Object.fromEntries(list(table).map(([id, , file]) => [id, file]));
  const { 'a.md': _, ...fewer } = files;
  const lists = (index: unknown) => indexLists(bytesOf(JSON.stringify(index)), table);
  expect([lists(files), lists({ entries: files }), lists(fewer), lists({ ...files, x: 'y' }), lists(null)]).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('[context:V2] the fast reader takes exactly the lower-case hex digits for digits', () => {
  const bytes = bytesOf(naiveManifest(SOURCES, SHA));
  const at = Buffer.from(bytes).indexOf('"version": "sha256:') + '"version": "sha256:'.length;
  const accepted = (place: number) => {
    const taken: string[] = [];
    for (let byte = 0; byte < 256; byte++) {
      const changed = Uint8Array.from(bytes);
      changed[at + place] = byte;
      if (scanManifest(changed)) taken.push(String.fromCharCode(byte));
    }
    return taken.join('');
  };
  expect([60, 61, 62, 63].map(accepted)).toEqual(Array(4).fill('0123456789abcdef'));
});

test('[context:V2] a manifest that ends anywhere too early is not valid', () => {
  for (const postings of [SHA, undefined]) {
    const bytes = bytesOf(naiveManifest(SOURCES, postings));
    const valid = Array.from(bytes.keys()).filter((length) => decodeManifest(bytes.slice(0, length)) !== undefined);
    expect(valid).toEqual([]);
  }
});

test('[context:V2] a count that lies does no harm', () => {
  const long = naiveManifest([{ id: `${'x'.repeat(50_000)}.md`, content: '' }, ...SOURCES], SHA);
  for (const count of [1, 3, 5, 500, 999_999_999]) {
    const text = long.replace('"document_count": 4', `"document_count": ${count}`);
    expect(decodeManifest(bytesOf(text))).toBeUndefined();
  }
});
