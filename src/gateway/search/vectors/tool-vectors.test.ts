import { expect, test } from 'vitest';
import { rankTools } from '../ranking/rank-tools.ts';
import { CATALOGUE, indexOf } from '../testing/catalogue.ts';
import { letterEncoder } from '../testing/letter-encoder.ts';
import { quantise, type VectorCache } from './encoder.ts';
import { encodedText, ToolVectors, vectorKey } from './tool-vectors.ts';

function memoryCache(): VectorCache & { readonly kept: Map<string, Int8Array> } {
  const kept = new Map<string, Int8Array>();
  return {
    kept,
    get: async (keys) =>
      new Map(keys.flatMap((key) => (kept.has(key) ? [[key, kept.get(key) as Int8Array] as const] : []))),
    put: async (vectors) => {
      for (const [key, vector] of vectors) kept.set(key, vector);
    },
  };
}

test('vectors are integers whose largest is 127', () => {
  expect([quantise([0.5, -0.25, 0]), quantise([0, 0])]).toEqual([Int8Array.of(127, -63, 0), Int8Array.of(0, 0)]);
});

test('a search encodes only its query once the tools have vectors', async () => {
  const encoder = letterEncoder();
  const vectors = new ToolVectors(encoder);
  vectors.follow(CATALOGUE);
  await vectors.build();
  encoder.asked.length = 0;
  const semantics = await vectors.ask(['translate /tmp/a.txt']);
  expect([vectors.size, encoder.asked]).toEqual([CATALOGUE.length, ['translate']]);
  expect(rankTools(indexOf(CATALOGUE), ['translate /tmp/a.txt'], { semantics }).tools[0]?.tool.original_name).toBe(
    'translate_text',
  );
});

test('an answer never waits for the vectors of tools', async () => {
  const encoder = letterEncoder();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  encoder.gate = gate;
  const vectors = new ToolVectors(encoder);
  vectors.follow(CATALOGUE);
  const building = vectors.build();
  expect(await vectors.ask(['translate'])).toBe(undefined);
  open();
  await building;
  expect(vectors.size).toBe(CATALOGUE.length);
});

test('only changed texts are encoded again, and removed ones are dropped', async () => {
  const encoder = letterEncoder();
  const vectors = new ToolVectors(encoder);
  vectors.follow(CATALOGUE);
  await vectors.build();
  encoder.asked.length = 0;
  const [first, second, ...rest] = CATALOGUE;
  const changed = { ...(first as (typeof CATALOGUE)[number]), description: 'Something else.' };
  vectors.follow([changed, ...rest]);
  expect(vectors.size).toBe(rest.length);
  await vectors.build();
  expect([vectors.size, encoder.asked, second?.name]).toEqual([
    rest.length + 1,
    [encodedText(changed)],
    'files__write_file',
  ]);
});

test('a catalogue that changes during encoding gets no vector of the old text', async () => {
  const encoder = letterEncoder();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  encoder.gate = gate;
  const vectors = new ToolVectors(encoder);
  vectors.follow(CATALOGUE);
  const building = vectors.build();
  vectors.follow([]);
  open();
  await building;
  expect(vectors.size).toBe(0);
});

test('vectors are cached by the hash of model and text, those of queries are not', async () => {
  const cache = memoryCache();
  const first = new ToolVectors(letterEncoder(), cache);
  first.follow(CATALOGUE);
  await first.build();
  const size = cache.kept.size;
  await first.ask(['a private question']);
  const encoder = letterEncoder();
  const second = new ToolVectors(encoder, cache);
  second.follow(CATALOGUE);
  await second.build();
  const key = vectorKey('letters', encodedText(CATALOGUE[0] as (typeof CATALOGUE)[number]));
  expect([encoder.asked, cache.kept.size, cache.kept.has(key)]).toEqual([[], size, true]);
});

test('a past query that led to a tool makes it similar to queries like it', async () => {
  const vectors = new ToolVectors(letterEncoder());
  vectors.follow(
    CATALOGUE.map((one) => (one.original_name === 'create_event' ? { ...one, learnedQueries: ['zzz qqq'] } : one)),
  );
  await vectors.build();
  const similarities = (await vectors.ask(['qqq zzz']))?.similarities('qqq zzz') ?? new Map();
  const closest = [...similarities].sort(([, a], [, b]) => b - a)[0];
  expect(closest).toEqual(['calendar__create_event', expect.any(Number)]);
});
