import { expect, test } from 'vitest';
import { offeredTools, type ServerOffer } from '../gateway/catalogue/server-offer.ts';
import { BackgroundVectors } from '../gateway/search/background-vectors.ts';
import { letterEncoder } from '../gateway/search/testing/letter-encoder.ts';
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
    tools: offeredTools(raw, { pinned: false, accepted: new Map() }),
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

test('what was learnt is found at once, and forgotten at once', async () => {
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
