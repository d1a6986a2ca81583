import { expect, test } from 'vitest';
import type { JsonObject } from '../../../contract/json.ts';
import { type Upstream, UpstreamError } from '../../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import { EMPTY_CATALOGUE } from './catalogue.ts';
import { listCatalogue } from './list-catalogue.ts';

type Answer = (page: number) => JsonObject;

/** A server that has these lists, and the pages of them that were asked for. */
function serverOf(lists: Readonly<Record<string, Answer>>, more: Partial<Pick<Upstream, 'era' | 'transport'>> = {}) {
  const asked: string[] = [];
  const upstream = {
    era: '2026',
    transport: 'http',
    capabilities: { tools: {}, resources: {}, prompts: {} },
    ...more,
    request: async ({ method, params }: { method: string; params: { cursor?: string } }) => {
      asked.push(`${method} ${params.cursor ?? ''}`.trim());
      const answer = lists[method];
      if (!answer) throw new UpstreamError('rpc', 'no', { rpc: { code: -32601, message: 'Method not found' } });
      return answer(Number(params.cursor ?? 0));
    },
  };
  return { upstream: upstream as unknown as Upstream, asked };
}

const list = (lists: Readonly<Record<string, Answer>>, more?: Parameters<typeof serverOf>[1]) =>
  listCatalogue(serverOf(lists, more).upstream, EMPTY_CATALOGUE, 1_000);
const kindOf = (listed: Promise<unknown>) =>
  listed.then(
    () => 'listed',
    (error: UpstreamError) => error.kind,
  );
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
const hinted = (ttlMs: unknown, cacheScope: unknown) => ({ ttlMs, cacheScope });

test('lists are public and fresh only if all their pages are', async () => {
  const scoped = async (...hints: JsonObject[]) => {
    const pages: Answer = (page) => ({
      tools: [tool(`t${page}`)],
      ...hints[page],
      ...(page + 1 < hints.length ? { nextCursor: String(page + 1) } : {}),
    });
    const { catalogue } = await list({ 'tools/list': pages });
    return [catalogue.tools.length, catalogue.scope, catalogue.freshUntil];
  };
  expect([
    await scoped(hinted(500, 'public')),
    await scoped(hinted(500, 'public'), hinted(200, 'public')),
    await scoped(hinted(500, 'public'), hinted(700, 'private')),
    await scoped({}),
  ]).toEqual([
    [1, 'public', 1_500],
    [2, 'public', 1_200],
    [2, 'private', 1_500],
    [1, 'private', 1_000],
  ]);
});

test('a server without lists has a private, empty catalogue, and a 2025 server declares no freshness', async () => {
  const bare = { era: '2025', transport: 'stdio', capabilities: {} } as unknown as Upstream;
  const none = await listCatalogue(bare, EMPTY_CATALOGUE, 1_000);
  const modern = await listCatalogue({ ...bare, era: '2026' } as Upstream, EMPTY_CATALOGUE, 1_000);
  expect([none.catalogue.tools, none.catalogue.scope, none.catalogue.freshUntil]).toEqual([[], 'private', undefined]);
  expect(modern.catalogue.freshUntil).toBe(1_000);
});

test('the number of pages and items is limited', async () => {
  const pages =
    (count: number): Answer =>
    (page) => ({ tools: [tool(`t${page}`)], ...(page + 1 < count ? { nextCursor: String(page + 1) } : {}) });
  const items =
    (count: number): Answer =>
    () => ({ tools: Array.from({ length: count }, (_, index) => ({ name: `${index}` })) });
  expect([
    await kindOf(list({ 'tools/list': pages(LIMITS.listPagesMax) })),
    await kindOf(list({ 'tools/list': pages(LIMITS.listPagesMax + 1) })),
    await kindOf(list({ 'tools/list': items(LIMITS.listItemsMax) })),
    await kindOf(list({ 'tools/list': items(LIMITS.listItemsMax + 1) })),
    // More than a call can have arguments.
    await kindOf(list({ 'tools/list': items(200_000) })),
  ]).toEqual(['listed', 'too_large', 'listed', 'too_large', 'too_large']);
});

test('a repeated cursor and an invalid list are bad answers; an empty cursor is ignored', async () => {
  expect([
    await kindOf(list({ 'tools/list': () => ({ tools: [], nextCursor: '1' }) })),
    await kindOf(list({ 'tools/list': () => ({ tools: {} }) })),
    await kindOf(list({ 'tools/list': () => ({ tools: [], nextCursor: '' }) })),
    await kindOf(list({ 'tools/list': () => ({ tools: [], nextCursor: 7 }) })),
  ]).toEqual(['bad_answer', 'bad_answer', 'listed', 'listed']);
});

test('a list that the server does not have is empty; a failing one keeps its items, and is reported', async () => {
  const known = { ...EMPTY_CATALOGUE, resources: [{ uri: 'kept:1' }], prompts: [{ name: 'kept' }] };
  const fails = () => {
    throw new UpstreamError('timed_out', 'too late');
  };
  const { upstream } = serverOf({
    'tools/list': () => ({ tools: [] }),
    'resources/list': fails,
    'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'a:{b}' }, { name: 'no template' }, 7] }),
  });
  const { catalogue, failures } = await listCatalogue(upstream, known, 0);
  expect([catalogue.resources, catalogue.resourceTemplates, catalogue.prompts, failures]).toEqual([
    [{ uri: 'kept:1' }],
    [{ uriTemplate: 'a:{b}' }],
    [],
    ['resources/list: too late'],
  ]);
  const cancelled = () => {
    throw new UpstreamError('cancelled', 'stop');
  };
  expect(await kindOf(list({ 'tools/list': () => ({ tools: [] }), 'prompts/list': cancelled }))).toBe('cancelled');
  expect(await kindOf(list({ 'tools/list': fails }))).toBe('timed_out');
});

test('tools without a name, duplicates and tools with invalid headers are dropped with a reason; headers matter for 2026 HTTP only', async () => {
  const wrong = {
    name: 'wrong',
    inputSchema: { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'A' } } },
  };
  const tools = [tool('a'), { name: 7 }, tool('a'), wrong, 'text'];
  const dropped = async (more?: Parameters<typeof serverOf>[1]) => {
    const { catalogue } = await list({ 'tools/list': () => ({ tools }) }, more);
    return [catalogue.tools.map(({ name }) => name), catalogue.dropped.map(({ name }) => name)];
  };
  expect([await dropped(), await dropped({ era: '2025' }), await dropped({ transport: 'stdio' })]).toEqual([
    [['a'], ['', 'a', 'wrong']],
    [
      ['a', 'wrong'],
      ['', 'a'],
    ],
    [
      ['a', 'wrong'],
      ['', 'a'],
    ],
  ]);
});

test('the total size of several pages is limited; a single page may be as large as a message', async () => {
  const sized = (length: number) => {
    const around = JSON.stringify([{ name: 'x', description: '' }]).length;
    return [{ name: 'x', description: 'd'.repeat(length - around) }];
  };
  const half = LIMITS.listBytesMax / 2;
  const pages =
    (second: number): Answer =>
    (page) =>
      page === 0 ? { tools: sized(half), nextCursor: '1' } : { tools: sized(second) };
  expect([
    await kindOf(list({ 'tools/list': pages(half) })),
    await kindOf(list({ 'tools/list': pages(half + 1) })),
    await kindOf(list({ 'tools/list': () => ({ tools: sized(LIMITS.listBytesMax + 1) }) })),
  ]).toEqual(['listed', 'too_large', 'listed']);
});

test('pages are requested in sequence with the previous cursor, until the caller aborts', async () => {
  const { signal } = new AbortController();
  const seen: unknown[] = [];
  const upstream = {
    era: '2026',
    transport: 'http',
    capabilities: { tools: {} },
    request: async ({ params }: { params: object }, options: object) => {
      seen.push([params, options]);
      return { tools: [], ...(seen.length < 3 ? { nextCursor: `c${seen.length}` } : {}) };
    },
  } as unknown as Upstream;
  await listCatalogue(upstream, EMPTY_CATALOGUE, 0, signal);
  expect(seen).toEqual([
    [{}, { signal }],
    [{ cursor: 'c1' }, { signal }],
    [{ cursor: 'c2' }, { signal }],
  ]);
});
