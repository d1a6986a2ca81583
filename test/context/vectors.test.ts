import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { scoreOf, scoreText } from '../../src/context/score.ts';
import { splitTerms } from '../../src/context/terms.ts';
import { compareUtf8 } from '../../src/context/utf8.ts';
import { build, buildFrom, inFolder } from '../../src/store/context/testing/folders.ts';
import { naiveResolve, naiveVersion, naiveWords } from '../naive/context.ts';
import { documentationSet } from '../support/realistic/documentation-set.ts';
import { runContext, runProcess, vectors } from './run.ts';

const folder = vectors ?? '';
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const lines = (path: string) => read(path).trim().split('\n');
const fixtures = 'compat/fixtures/v0';

test('published vectors', (context) => {
  context.annotate(
    vectors ? 'vectors found' : 'no vectors beside this checkout: the tests that read them are left out',
  );
  expect(fixtures).toContain('v0');
});

describe.runIf(vectors)('[context:H1] vectors', () => {
  const resolveIn = async (cache: string, query: string, budget: number) =>
    (
      await runContext(
        'resolve',
        '--cache',
        join(folder, fixtures, 'caches', cache),
        '--query',
        query,
        '--budget',
        String(budget),
      )
    ).stdout;

  test.each([
    ['minimal_basic', 'minimal', 'basic'],
    ['minimal_zero_budget', 'minimal', 'zero_budget'],
    ['realistic_basic', 'realistic', 'basic'],
    ['realistic_multi_term', 'realistic', 'multi_term'],
    ['tie_break_ordering', 'tie_break', 'tie_break'],
    ['tie_break_zero_score', 'tie_break', 'no_match'],
  ])('golden %s', async (expected, cache, name) => {
    const { query, budget } = JSON.parse(read(`${fixtures}/queries/${name}.json`));
    expect(await resolveIn(cache, query, budget)).toBe(`${read(`${fixtures}/expected/${expected}.json`)}\n`);
  });

  test('[context:Z3] [context:S6] derived cases of resolve; where code and specification differ, the specification', () =>
    inFolder(async (temporary) => {
      await build({ sources: join(folder, fixtures, 'documents/edge_cases'), cache: join(temporary, 'edge_cases') });
      await build({ sources: temporary, cache: join(temporary, 'empty') });
      for (const line of lines('derived/resolve_cases.jsonl')) {
        const given = JSON.parse(line);
        const [name] = given.cache.split(' ');
        const isBuilt = name === 'edge_cases' || name === 'empty';
        const cache = isBuilt ? join(temporary, name) : join(folder, fixtures, 'caches', name);
        const { stdout } = await runContext(
          'resolve',
          '--cache',
          cache,
          '--query',
          given.query,
          '--budget',
          String(given.budget),
        );
        const expected = given.stdout_without_newline_spec_text ?? given.stdout_without_newline_reference_code;
        if (expected === undefined) expect(naiveVersion(stdout.trimEnd())).toBe(given.sha256);
        else expect(stdout).toBe(`${expected}\n`);
      }
    }));

  test(
    'the queries of the vectors, on a documentation set of real sizes, answer as the naive model does',
    () =>
      inFolder(async (temporary) => {
        // Beside the published documents, so that the queries find something; one page has some megabytes.
        const published = ['minimal', 'realistic', 'tie_break'].flatMap((name) =>
          readdirSync(join(folder, fixtures, 'documents', name)).map((file) => ({
            path: `${name}/${file}`,
            content: read(`${fixtures}/documents/${name}/${file}`),
          })),
        );
        const pages = [...documentationSet(11, 400), ...published];
        const cache = await buildFrom(temporary, Object.fromEntries(pages.map(({ path, content }) => [path, content])));
        const naive = pages.map(({ path, content }) => ({ id: path.toLowerCase(), content }));
        const asked = lines('derived/resolve_cases.jsonl').map((line) => JSON.parse(line));
        const cases = new Map(asked.map(({ query, budget }) => [JSON.stringify([query, budget]), { query, budget }]));
        expect(cases.size).toBeGreaterThan(10);
        for (const { query, budget } of cases.values()) {
          const ran = await runContext('resolve', '--cache', cache, `--query=${query}`, '--budget', String(budget));
          expect([query, budget, ran.stdout === naiveResolve(naive, query, budget)]).toEqual([query, budget, true]);
        }
      }),
    120_000,
  );

  test('derived cases of Unicode', async () => {
    for (const line of lines('derived/unicode_cases.jsonl')) {
      const { id, content, query, budget, stdout_without_newline: expected } = JSON.parse(line);
      await inFolder(async (temporary) => {
        const cache = await buildFrom(temporary, { [id]: content });
        const ran = await runContext('resolve', '--cache', cache, '--query', query, '--budget', String(budget));
        expect(ran.stdout).toBe(`${expected}\n`);
      });
    }
  });

  test('texts of scores', () => {
    const rows = lines('derived/f32_scores.tsv')
      .slice(1)
      .map((line) => line.split('\t'));
    const wrong = rows.filter(([matches, words, text]) => scoreText(scoreOf(Number(matches), Number(words))) !== text);
    expect([rows.length > 100, wrong]).toEqual([true, []]);
  });

  test('code points that split, and the order of ids', () => {
    const points = lines('derived/whitespace_codepoints.txt').map((line) => Number.parseInt(line.slice(2, 8), 16));
    const splits = (point: number) => splitTerms(`a${String.fromCodePoint(point)}b`).length === 2;
    expect([points.length, points.every(splits)]).toEqual([25, true]);
    const ids = JSON.parse(read('derived/id_order_utf8.json')) as string[];
    expect([...ids].reverse().sort(compareUtf8)).toEqual(ids);
  });

  test('a build of the edge cases', () =>
    inFolder(async (temporary) => {
      const expected = JSON.parse(read('derived/edge_cases_build.json'));
      const cache = join(temporary, 'cache');
      const report = await build({ sources: join(folder, expected.sources), cache });
      expect(report.cache_version).toBe(expected.cache_version);
      const { documents } = JSON.parse(readFileSync(join(cache, 'manifest.json'), 'utf8'));
      const built = documents.map((document: { file: string }) => {
        const { content } = JSON.parse(readFileSync(join(cache, document.file), 'utf8'));
        const bytes = Buffer.byteLength(content);
        return { ...document, bytes, tokens: Math.ceil(bytes / 4), total_words: naiveWords(content).length };
      });
      expect(built).toEqual(expected.documents);
    }));

  test.each(['minimal', 'realistic', 'tie_break'])('a build of %s gives the published files', (name) =>
    inFolder(async (temporary) => {
      const cache = join(temporary, 'cache');
      await build({ sources: join(folder, fixtures, 'documents', name), cache });
      const published = join(folder, fixtures, 'caches', name);
      expect(readFileSync(join(cache, 'index.json'), 'utf8')).toBe(readFileSync(join(published, 'index.json'), 'utf8'));
      for (const file of readdirSync(join(published, 'documents'))) {
        const path = join('documents', file);
        expect(readFileSync(join(cache, path), 'utf8')).toBe(readFileSync(join(published, path), 'utf8'));
      }
    }),
  );

  test.each([
    ['minimal', 'inspect_minimal'],
    ['realistic', 'inspect_realistic'],
  ])('inspect of %s', async (cache, expected) => {
    const ran = await runContext('inspect', '--cache', join(folder, fixtures, 'caches', cache));
    expect(ran.stdout.trimEnd()).toBe(read(`${fixtures}/expected/${expected}.json`).trimEnd());
  });

  test('[context:Z1] the cache of a future version is refused', async () => {
    const ran = await runContext(
      'resolve',
      '--cache',
      join(folder, fixtures, 'caches/future_version'),
      '--query',
      'x',
      '--budget',
      '1',
    );
    expect([ran.exitCode, ran.stdout]).toEqual([5, '']);
  });

  test('[context:M3] [context:M5] the server answers as the harness expects, within the published schemas', async () => {
    const call = (id: number, name: string, args: object) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    const clientInfo = { name: 'harness', version: '1' };
    const messages = [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call(2, 'context.resolve', { cache: 'minimal', query: 'deployment', budget: 4000 }),
      call(3, 'context.resolve', { cache: 'nonexistent', query: 'x', budget: 1 }),
      call(4, 'context.list_caches', {}),
      call(5, 'context.inspect_cache', { cache: 'minimal' }),
    ];
    const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
    const { stdout, exitCode } = await runProcess(['serve'], input, {
      env: { CONTEXT_CACHE_ROOT: join(folder, fixtures, 'caches') },
    });
    const results = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).result);
    expect([exitCode, results[0].protocolVersion, results[0].serverInfo.name]).toEqual([
      0,
      '2024-11-05',
      'mcp-context-server',
    ]);
    const texts = results.slice(1).map((result) => result.content[0].text);
    expect(texts[0]).toBe(`${read(`${fixtures}/expected/minimal_basic.json`)}\n`);
    expect(JSON.stringify(results[2])).toBe(read(`${fixtures}/expected/mcp_error_cache_missing.json`));
    expect(JSON.parse(texts[3]).total_bytes).toBe(705);
    const ajv = new Ajv2020({ strict: false });
    const schemas = ['selection_result', 'mcp_error', 'list_caches', 'inspect_output'];
    const valid = schemas.map((name, index) =>
      ajv.validate(JSON.parse(read(`compat/schemas/${name}.schema.json`)), JSON.parse(texts[index])),
    );
    expect(valid).toEqual([true, true, true, true]);
  });
});
