import fc from 'fast-check';
import { expect, test } from 'vitest';
import { versionOf } from './hash.ts';
import { decodePostings, encodePostings, type PostingsInput } from './postings.ts';
import { propertyRuns } from './testing/arbitraries.ts';
import { compareUtf8 } from './utf8.ts';

const VERSION = versionOf('cache');

/** Counts by term and document, as the encoder wants them. */
function inputOf(documentCount: number, counts: ReadonlyMap<string, ReadonlyMap<number, number>>): PostingsInput {
  const terms = [...counts.keys()].sort(compareUtf8);
  const lists = terms.map((term) => [...(counts.get(term) ?? [])].sort(([left], [right]) => left - right));
  const starts = [0];
  for (const list of lists) starts.push((starts.at(-1) as number) + list.length);
  return {
    cacheVersion: VERSION,
    totalWords: Uint32Array.from({ length: documentCount }, (_, index) => index * 3),
    tokens: Uint32Array.from({ length: documentCount }, (_, index) => index * 5),
    terms,
    postingStarts: Uint32Array.from(starts),
    postings: Uint32Array.from(lists.flat(2)),
  };
}

test('[context:Z7] any postings read back, near and far apart, with small and large counts', () => {
  const documentCount = 70_000;
  const count = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 2 ** 31 }));
  const list = fc.uniqueArray(fc.tuple(fc.nat(documentCount - 1), count), {
    selector: ([document]) => document,
    minLength: 1,
  });
  const term = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '🚀', '\uffee'), minLength: 1, maxLength: 3 });
  const all = fc.uniqueArray(fc.tuple(term, list), { selector: ([text]) => text, maxLength: 8 });
  fc.assert(
    fc.property(all, (entries) => {
      const counts = new Map(entries.map(([text, pairs]) => [text, new Map(pairs)]));
      const input = inputOf(documentCount, counts);
      const postings = decodePostings(encodePostings(input), VERSION, documentCount);
      for (const [text, expected] of [...counts, ['absent', new Map()] as const]) {
        const matches = new Uint32Array(documentCount);
        postings?.addMatches(text, matches);
        const found = [...matches.entries()].filter(([, matched]) => matched > 0);
        expect(new Map(found)).toEqual(new Map([...expected].sort(([left], [right]) => left - right)));
      }
      expect([postings?.totalWords, postings?.tokens]).toEqual([input.totalWords, input.tokens]);
    }),
    { numRuns: Math.ceil(propertyRuns / 10) },
  );
});

test('[context:Z7] postings whose places are out of order or outside are refused', () => {
  const file = encodePostings(
    inputOf(
      1,
      new Map([
        ['a', new Map([[0, 1]])],
        ['b', new Map([[0, 2]])],
      ]),
    ),
  );
  const integers = new Uint32Array(file.buffer);
  // After the header and two numbers of the one document: the starts of two terms, then those of their postings.
  const starts = file.byteOffset / 4 + 14 + 2;
  const changed = Array.from({ length: 6 }, (_, place) => {
    const before = integers[starts + place] as number;
    integers[starts + place] = 9999;
    const decoded = decodePostings(file, VERSION, 1);
    integers[starts + place] = before;
    return decoded;
  });
  expect([decodePostings(file, VERSION, 1) === undefined, changed]).toEqual([false, Array(6).fill(undefined)]);
});

test('[context:Z7] postings of another cache, cut short, too long or of another kind are refused', () => {
  const file = encodePostings(inputOf(2, new Map([['a', new Map([[0, 1]])]])));
  const changed = Uint8Array.from(file);
  changed[0] = 0;
  expect([
    decodePostings(file, versionOf('other'), 2),
    decodePostings(file, VERSION, 3),
    decodePostings(file.slice(0, -4), VERSION, 2),
    decodePostings(Uint8Array.from([...file, 0, 0, 0, 0]), VERSION, 2),
    decodePostings(changed, VERSION, 2),
    decodePostings(new Uint8Array(0), VERSION, 2),
  ]).toEqual(Array(6).fill(undefined));
});
