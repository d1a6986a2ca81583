import { expect, test } from 'vitest';
import { until } from '../../../test/support/running-bindery.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { offeredTools, type ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { changedList, OwnLists, type OwnOffer, type OwnPlace } from './own-lists.ts';
import type { ViewSource } from './profile-view.ts';

const offer = (server: string, ...tools: string[]): ServerOffer => ({
  server,
  era: '2025',
  protocolVersion: '2025-11-25',
  serverInfo: null,
  capabilities: {},
  instructions: null,
  tools: offeredTools(
    tools.map((name) => ({ name, inputSchema: { type: 'object' } })),
    { pinned: false, inUse: new Map() },
  ),
  resources: [],
  resourceTemplates: [],
  prompts: [],
});
const source: ViewSource = {
  version: () => 1,
  offers: () => [offer('a', 'plain'), offer('b', 'other')],
  policyLayers: () => [],
};
const seen = (lists: OwnLists<OwnPlace>, key: string) =>
  [...lists.as(source, key).offers()].map(({ tools }) => tools.map(({ definition }) => definition.name).join());

/** Lists whose servers answer when the test says so. */
function open() {
  const log = createMemoryLog();
  const told: string[] = [];
  const asked: { place: OwnPlace; answer: (offer: OwnOffer) => void; fail: (error: Error) => void }[] = [];
  const lists = new OwnLists<OwnPlace>({
    list: (place) =>
      new Promise((answer, fail) => {
        asked.push({ place, answer, fail });
      }),
    onChanged: ({ key }, kinds) => told.push(`${key} ${kinds.join()}`),
    log,
  });
  return { lists, asked, told, log };
}

test('only the client itself sees the lists of its own connection, until the connection ends', async () => {
  const { lists, asked, told } = open();
  const place = { server: 'a', key: 'k', upstream: {} };
  const before = lists.as(source, 'k');
  lists.changed(place, 'tools');
  const settled = lists.settled('k');
  expect([before === source, lists.has('k'), told, settled !== undefined]).toEqual([true, false, [], true]);
  asked[0]?.answer(offer('a', 'plain', 'added'));
  await settled;
  const during = [seen(lists, 'k'), seen(lists, 'another')];
  const version = lists.as(source, 'k').version();
  lists.ended(place);
  expect({ during, after: seen(lists, 'k'), told, isNewer: version > 1 }).toEqual({
    during: [
      ['plain,added', 'other'],
      ['plain', 'other'],
    ],
    after: ['plain', 'other'],
    told: ['k tools', 'k tools,resources,prompts'],
    isNewer: true,
  });
});

test('changes that come while the lists are asked for are asked for once more, all together', async () => {
  const { lists, asked, told } = open();
  const place = { server: 'a', key: 'k', upstream: {} };
  lists.changed(place, 'tools');
  for (const kind of ['prompts', 'resources', 'prompts'] as const) lists.changed(place, kind);
  asked[0]?.answer(offer('a', 'first'));
  await until('it is asked again', () => asked.length > 1);
  asked[1]?.answer(offer('a', 'second'));
  await lists.settled('k');
  expect([seen(lists, 'k'), asked.length, told]).toEqual([['second', 'other'], 2, ['k tools', 'k prompts,resources']]);
});

test('lists that cannot be had stay as they were, and that is logged', async () => {
  const { lists, asked, told, log } = open();
  lists.changed({ server: 'a', key: 'k', upstream: {} }, 'tools');
  asked[0]?.fail(new Error('it is gone'));
  await lists.settled('k');
  expect([seen(lists, 'k'), told, log.lines.map(({ level }) => level)]).toEqual([
    ['plain', 'other'],
    ['k tools'],
    ['warn'],
  ]);
});

test('lists of a connection that has ended in the meantime are not shown', async () => {
  const { lists, asked } = open();
  const place = { server: 'a', key: 'k', upstream: {} };
  lists.changed(place, 'tools');
  const settled = lists.settled('k');
  lists.ended(place);
  asked[0]?.answer(offer('a', 'late'));
  await settled;
  expect(seen(lists, 'k')).toEqual(['plain', 'other']);
});

test.each([
  ['notifications/tools/list_changed', 'tools'],
  ['notifications/prompts/list_changed', 'prompts'],
  ['notifications/message', undefined],
])('%s is about %s', (method, kind) => {
  expect(changedList(method)).toBe(kind);
});
