import { expect, test } from 'vitest';
import { offeredTools, type ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { letterEncoder } from '../../gateway/search/testing/letter-encoder.ts';
import { BackgroundVectors } from '../../gateway/search/vectors/background-vectors.ts';
import { countTokens } from '../../gateway/search/words/tokens.ts';
import type { LearnedQueries, SearchAids } from './profile-search.ts';
import { ProfileView } from './profile-view.ts';

function offer(server: string, tools: Readonly<Record<string, string>>): ServerOffer {
  const raw = Object.entries(tools).map(([name, description]) => ({
    name,
    description,
    inputSchema: { type: 'object' as const },
  }));
  return {
    server,
    era: '2026',
    protocolVersion: '2026-07-28',
    serverInfo: null,
    capabilities: {},
    instructions: null,
    tools: offeredTools(raw, { pinned: false, inUse: new Map() }),
    resources: [],
    resourceTemplates: [],
    prompts: [],
  };
}

/** A profile over a catalogue that the test changes. */
function openView(searchAids?: SearchAids) {
  const offers = new Map<string, ServerOffer>();
  let version = 0;
  const source = {
    version: () => version,
    offers: () => offers.values(),
    policyLayers: () => [],
    ...(searchAids ? { searchAids } : {}),
  };
  const view = new ProfileView({ name: 'default', names: 'qualified' }, source);
  const set = (...changed: ServerOffer[]) => {
    for (const one of changed) offers.set(one.server, one);
    version += 1;
  };
  const find = async (query: string) => (await view.search().find({ query }, [])).tools;
  return { view, set, find };
}

const nothing: LearnedQueries = { of: () => [] };
const fieldsOf = (tools: readonly { readonly reasons: readonly { readonly field: string }[] }[]) =>
  new Set(tools.flatMap(({ reasons }) => reasons.map(({ field }) => field)));

/** Turns of the loop that others get until a promise is settled. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  work.then(settle, settle);
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isSettled) return turns;
    turns += 1;
  }
}

// It stands first: the tokenizer is made once for all tests of this file.
test('others get turns while the tokenizer is made for the first search', async () => {
  const { set, find } = openView();
  set(offer('sky', { forecast: 'Weather of a city.' }));
  const first = await turnsDuring(find('weather'));
  await new Promise((resolve) => setImmediate(resolve));
  expect([first > 10, await turnsDuring(find('weather'))]).toEqual([true, 0]);
});

test('[gateway:F5] the first answer after a catalogue change comes without the model, the next ones with it', async () => {
  const encoder = letterEncoder();
  const model = new BackgroundVectors(encoder, undefined, () => {});
  const { view, set, find } = openView({ model: () => model, learned: () => nothing });
  const gates: (() => void)[] = [];
  const slow = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    encoder.gate = promise;
    gates.push(resolve);
  };
  const seen: boolean[] = [];
  const look = async () => seen.push(fieldsOf(await find('weather of a city')).has('meaning'));

  slow();
  set(offer('sky', { forecast: 'Weather of a city.' }), offer('disk', { read: 'Read a file.' }));
  await look();
  gates.at(-1)?.();
  await model.settled();
  await look();
  slow();
  set(offer('disk', { read: 'Read a file.', write: 'Write a file about the weather.' }));
  view.search().prepare();
  await look();
  gates.at(-1)?.();
  await model.settled();
  await look();
  expect(seen).toEqual([false, true, false, true]);
});

test('[gateway:F5] equal vectors give equal answers, whenever and in whatever order they came', async () => {
  const answers: string[] = [];
  for (const order of [
    ['sky', 'disk'],
    ['disk', 'sky'],
  ]) {
    const model = new BackgroundVectors(letterEncoder(), undefined, () => {});
    const { view, set } = openView({ model: () => model, learned: () => nothing });
    for (const server of order) {
      set(offer(server, { [`${server}_read`]: `Read from the ${server}.`, list: 'List it all.' }));
      view.search().prepare();
      await model.settled();
    }
    answers.push(JSON.stringify(await view.search().find({ queries: ['what is in the sky', 'list a disk'] }, [])));
  }
  expect(answers[0]).toBe(answers[1]);
});

test('a model that is switched off is not asked, and its reasons are gone', async () => {
  const encoder = letterEncoder();
  let model: BackgroundVectors | undefined = new BackgroundVectors(encoder, undefined, () => {});
  const { view, set, find } = openView({ model: () => model, learned: () => nothing });
  set(offer('sky', { forecast: 'Weather of a city.' }));
  view.search().prepare();
  await model.settled();
  const on = fieldsOf(await find('weather')).has('meaning');
  const asked = encoder.asked.length;
  model = undefined;
  expect([on, fieldsOf(await find('weather')).has('meaning'), encoder.asked.length]).toEqual([true, false, asked]);
});

test('learned queries take effect at once, and so does forgetting them', async () => {
  let learned: LearnedQueries = nothing;
  const { set, find } = openView({ model: () => undefined, learned: () => learned });
  set(offer('sky', { forecast: 'Weather of a city.' }), offer('disk', { read: 'Read a file.' }));
  const found = async () => (await find('umbrellaphobia')).map(({ name, reasons }) => [name, reasons[0]?.field]);
  const before = await found();
  learned = { of: (server) => (server === 'sky' ? ['do I need umbrellaphobia'] : []) };
  const after = await found();
  learned = nothing;
  expect([before, after, await found()]).toEqual([[], [['sky__forecast', 'learned']], []]);
});

/** Servers of a hundred tools each. */
const manyOffers = (servers: number) =>
  Array.from({ length: servers }, (_, index) =>
    offer(`s${index}`, Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`tool${at}`, `Does task ${at}.`]))),
  );

test('indexing many tools yields to other work, and an answer includes changes made in the meantime', async () => {
  const { view, set, find } = openView();
  set(...manyOffers(10), offer('sky', { forecast: 'Weather of a city.' }));
  const first = [find('guitar'), find('weather')];
  const isPaused = (await turnsDuring(Promise.race(first))) > 2;
  const changed = manyOffers(10).map((one) => ({ ...one, instructions: 'Other words.' }));
  set(...changed, offer('tuner', { tune: 'Tunes a guitar.' }));
  const second = [find('guitar'), find('weather')];
  await new Promise((resolve) => setImmediate(resolve));
  set(offer('shop', { sell: 'Sells a guitar.' }));
  view.search();
  const found = await Promise.all([...first, ...second]);
  expect([isPaused, ...found.map((tools) => tools.map(({ name }) => name).sort())]).toEqual([
    true,
    [],
    ['sky__forecast'],
    ['shop__sell', 'tuner__tune'],
    ['sky__forecast'],
  ]);
});

test('others get turns while the cost of many tools is counted, and it is the same', async () => {
  const { view, set } = openView();
  set(...manyOffers(10));
  const cost = view.search().cost();
  const isPaused = (await turnsDuring(cost)) > 5;
  const { all, tools } = await cost;
  const entries = [...view.catalogue().tools.values()];
  expect([isPaused, all.tokens, tools.map(({ name, tokens }) => [name, tokens])]).toEqual([
    true,
    countTokens(`[${entries.map(({ json }) => json).join()}]`),
    entries.map(({ name, json }) => [name, countTokens(json)]),
  ]);
});
