import { expect, test } from 'vitest';
import { PROXY_LIMITS } from '../limits.ts';
import type { Client } from '../message/client.ts';
import { CLIENT, OFFER, OfflineGateway } from '../testing/offline-gateway.ts';
import type { ProfileSettings, ViewSource } from './profile-view.ts';

const isSame = (one: object, other: object) => one === other;
const toolNames = (json: string) => (JSON.parse(json) as { name: string }[]).map(({ name }) => name);

test('a profile has one view until its settings change; a name that is none says so', () => {
  const world = new OfflineGateway();
  const { views } = world.gateway;
  const first = views.view('default');
  expect([views.view('default') === first, views.hasProfile('default'), views.hasProfile('none')]).toEqual([
    true,
    true,
    false,
  ]);
  world.profiles = [
    { name: 'other', names: 'qualified' },
    { name: 'default', names: 'qualified' },
  ];
  expect([views.view('default') === first, views.view('other').settings.name, views.hasProfile('default')]).toEqual([
    false,
    'other',
    true,
  ]);
  expect(() => views.view('none')).toThrow(expect.objectContaining({ code: 'PROFILE_NOT_FOUND', detail: 'none' }));
});

/** A gateway in which each caller but the first has servers of its own. */
function withCallers() {
  const sources = new Map<string, ViewSource>();
  const privateTo = (_profile: ProfileSettings, caller: string): ViewSource | undefined => {
    if (caller === 'everybody') return undefined;
    const known = sources.get(caller) ?? { ...world.source, privateTo, offers: () => [{ ...OFFER, server: caller }] };
    sources.set(caller, known as ViewSource);
    return known as ViewSource;
  };
  const world: OfflineGateway = new OfflineGateway({}, {}, { privateTo });
  const viewOf = (caller: string, more: Partial<Client> = {}) =>
    world.gateway.views.viewFor({ ...CLIENT, caller, ...more });
  return { world, viewOf, sources };
}

test('each caller has its own view, the same at each request, and never the one of another', () => {
  const { world, viewOf } = withCallers();
  const tools = (caller: string) => toolNames(viewOf(caller).lists().tools);
  expect([tools('a'), tools('b'), tools('everybody')]).toEqual([['a__t'], ['b__t'], ['s__t']]);
  expect([
    isSame(viewOf('a'), viewOf('a')),
    viewOf('a') === viewOf('b'),
    viewOf('everybody') === world.gateway.views.view('default'),
  ]).toEqual([true, false, true]);
  // Clients of one caller share its view, whatever their sessions are.
  expect(viewOf('a', { key: 'another' }) === viewOf('a')).toBe(true);
  const before = viewOf('a');
  world.profiles = [{ name: 'default', names: 'qualified' }];
  expect(viewOf('a') === before).toBe(false);
});

test('a view is rebuilt if its caller’s servers have changed', () => {
  const { viewOf, sources } = withCallers();
  const before = viewOf('a');
  sources.delete('a');
  expect([viewOf('a') === before, isSame(viewOf('a'), viewOf('a'))]).toEqual([false, true]);
});

test('of more callers than are kept the one that was seen longest ago is forgotten', () => {
  const { viewOf } = withCallers();
  const max = PROXY_LIMITS.privateViewsMax;
  const views = Array.from({ length: max }, (_, at) => viewOf(`c${at}`));
  expect([viewOf('c0') === views[0], viewOf('c1') === views[1]]).toEqual([true, true]);
  viewOf('one more');
  expect([
    viewOf('c0') === views[0],
    viewOf('c1') === views[1],
    viewOf('c3') === views[3],
    viewOf('c2') === views[2],
  ]).toEqual([true, true, true, false]);
});

test('clients that can be asked see tools that others do not, and clients with lists of their own see those', () => {
  const [tool] = OFFER.tools;
  const asking = { ...tool, definition: { ...tool?.definition, name: 'ask' }, needs: ['roots'] };
  const own = new Map<string, ViewSource>();
  const world: OfflineGateway = new OfflineGateway({
    ownLists: {
      as: (source: ViewSource, key: string) => own.get(key) ?? source,
      has: (key: string) => own.has(key),
      settled: async () => {},
    } as never,
  });
  world.setOffers({ ...OFFER, tools: [tool, asking] } as never);
  const { views } = world.gateway;
  const tools = (more: Partial<Client>) => toolNames(views.viewFor({ ...CLIENT, ...more }).lists().tools);
  const roots = { capabilities: { roots: {} } };
  expect([tools({}), tools(roots)]).toEqual([['s__t'], ['s__ask', 's__t']]);
  const mine = views.viewFor({ ...CLIENT, ...roots });
  for (const other of [{ key: 'other' }, { caller: 'key:2' }])
    expect(views.viewFor({ ...CLIENT, ...roots, ...other }) === mine).toBe(true);
  own.set('mine', { ...world.source, offers: () => [{ ...OFFER, server: 'mine' }] });
  own.set('yours', { ...world.source, offers: () => [{ ...OFFER, server: 'yours' }] });
  expect([tools({ key: 'mine' }), tools({ key: 'yours' }), tools({ key: 'mine' })]).toEqual([
    ['mine__t'],
    ['yours__t'],
    ['mine__t'],
  ]);
});

test('a list has all tools, or the search and what it found; promoted tools first and the sign-in last', () => {
  const waiting = new Map([['key:1', ['s', 'unseen']]]);
  const signIns = { waiting: (caller: string) => waiting.get(caller) ?? [] };
  const world = new OfflineGateway({ signIns: signIns as never });
  const search = { exposure: 'search', budgetTokens: 1_000, pinned: [] } as const;
  world.profiles = [
    { name: 'default', names: 'qualified' },
    { name: 'promoting', names: 'qualified', promotesResources: true, servers: ['s'] },
    { name: 'searching', names: 'qualified', search },
    { name: 'bare', names: 'bare', servers: ['s'] },
  ];
  const tools = (profile: string, caller: string) =>
    toolNames(world.gateway.views.listsFor({ ...CLIENT, profile, caller }).tools);
  expect([
    tools('default', 'key:2'),
    tools('default', 'key:1'),
    tools('promoting', 'key:1'),
    tools('searching', 'key:2'),
    tools('searching', 'key:1'),
    tools('bare', 'key:1'),
  ]).toEqual([
    ['s__t'],
    ['s__t', 'sign_in'],
    ['read_resource', 'get_prompt', 's__t', 'sign_in'],
    ['find_tools', 'call_tool'],
    ['find_tools', 'call_tool', 'sign_in'],
    ['t'],
  ]);
  const [signIn] = (JSON.parse(world.gateway.views.listsFor(CLIENT).tools) as { inputSchema: object }[]).slice(-1);
  expect(signIn?.inputSchema).toMatchObject({ properties: { server: { enum: ['s', 'unseen'] } } });
  const without = new OfflineGateway();
  expect(toolNames(without.gateway.views.listsFor(CLIENT).tools)).toEqual(['s__t']);
});
