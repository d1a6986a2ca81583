import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentFile } from '../../context/document-files.ts';
import { versionOf } from '../../context/hash.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { DocumentWriter } from './document-writer.ts';
import { inFolder } from './testing/folders.ts';
import { ThreadMutex } from './thread-mutex.ts';

const { writeBatch, writeBatchBytes } = CONTEXT_LIMITS;

/** Lengths on both sides of every bound: the memory of a batch, and a third of it, since a character may need three bytes. */
const lengths = [0, 1, 900, 60_000, writeBatchBytes / 3, writeBatchBytes / 2, writeBatchBytes].flatMap((length) =>
  length < 2 ? [length] : [Math.floor(length) - 1, Math.floor(length), Math.floor(length) + 1],
);
const anyTexts = fc.oneof(
  fc.array(fc.record({ unit: fc.constantFrom('a', 'é', '日', '🚀'), length: fc.constantFrom(...lengths) }), {
    maxLength: 12,
  }),
  // Many small ones, around the number of files that are created in one turn.
  fc
    .tuple(fc.integer({ min: writeBatch - 1, max: 2 * writeBatch + 1 }), fc.constantFrom(1, 4_000, 4_096, 4_097))
    .map(([count, length]) => Array.from({ length: count }, () => ({ unit: 'a', length }))),
);

test('[context:C1] every document that was taken is written, whatever the sizes and their order', () =>
  fc.assert(
    fc.asyncProperty(anyTexts, (texts) =>
      inFolder((folder) => {
        mkdirSync(join(folder, 'documents'));
        const writer = new DocumentWriter({ cache: folder }, new ThreadMutex(ThreadMutex.memory()));
        const expected = new Map<string, string>();
        texts.forEach(({ unit, length }, index) => {
          // The number makes all texts different.
          const text = `${index} ${unit.repeat(Math.ceil(length / unit.length))}`;
          const [id, version] = [`${index}.md`, versionOf(text)];
          expected.set(documentFile(id, version, false), text);
          writer.add({ id, version, source: id, text, onRepeated: () => expect.unreachable('no two are equal') });
        });
        writer.flush();
        const written = readdirSync(join(folder, 'documents')).map((name) => `documents/${name}`);
        expect(written.sort()).toEqual([...expected.keys()].sort());
        for (const [file, text] of expected) expect(readFileSync(join(folder, file), 'utf8') === text).toBe(true);
      }),
    ),
    { numRuns: 60 },
  ));

test('[context:Z8] a document that the disk gives back in another form than it was given fails the build', () =>
  inFolder((folder) => {
    mkdirSync(join(folder, 'documents'));
    const writer = new DocumentWriter({ cache: folder }, new ThreadMutex(ThreadMutex.memory()));
    // Half of a pair cannot be written as UTF-8: another character takes its place.
    const document = { id: 'a.md', version: versionOf('x'), source: 'a.md', text: '\ud800', onRepeated: () => {} };
    writer.add(document);
    expect(() => writer.flush()).toThrow('the document of a.md of the new cache is not on the disk as it should be');
  }));
