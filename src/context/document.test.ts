import { expect, test } from 'vitest';
import { decodeDocument, encodeDocument } from './document.ts';
import { versionOf } from './hash.ts';

const content = 'A "quoted" \\ line\u2028\u007f\u0001\n';
const version = versionOf(content);
const text = encodeDocument('a/b.md', version, 'A/b.md', content);
const decode = (json: string) => decodeDocument(Buffer.from(json), 'a/b.md', version);

test('[context:D6] a document has five members in order, escapes only what JSON must, and no final newline', () => {
  expect(text).toBe(
    `{"id":"a/b.md","version":"${version}","source":"A/b.md","content":"A \\"quoted\\" \\\\ line\u2028\u007f\\u0001\\n","metadata":{}}`,
  );
});

test('a document reads back, also with other white space, key order and metadata', () => {
  const expected = { id: 'a/b.md', version, source: 'A/b.md', content, metadata: {} };
  expect(decode(text)).toEqual(expected);
  const { metadata: _, ...rest } = expected;
  expect(decode(JSON.stringify({ metadata: { pages: 3, title: 'x' }, extra: true, ...rest }, null, 2))).toEqual({
    ...rest,
    metadata: { pages: 3, title: 'x' },
  });
});

test.each([
  ['another id', text.replace('a/b.md', 'a/c.md')],
  ['another version', text.replace(version, versionOf('x'))],
  ['another content', text.replace('quoted', 'Quoted')],
  ['a key twice', text.replace('"metadata":{}', '"metadata":{},"id":"a/b.md"')],
  ['no metadata', text.replace(',"metadata":{}', '')],
  ['a fraction in its metadata', text.replace('"metadata":{}', '"metadata":{"a":1.5}')],
  ['half of its bytes', text.slice(0, text.length / 2)],
  ['a list instead', '[]'],
  ['null instead', 'null'],
])('[context:Z7b] a document with %s is refused', (_, json) => {
  expect(decode(json)).toBeUndefined();
});

test('[context:Z7b] bytes that are not UTF-8 are refused', () => {
  expect(decodeDocument(Buffer.concat([Buffer.from(text), Buffer.of(0xff)]), 'a/b.md', version)).toBeUndefined();
});
