import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareBytes } from './compare-bytes.ts';
import { publicCatalogue } from './public-catalogue.ts';
import { ownUri, ResourceRoutes } from './resource-routes.ts';
import { offeredTools, type ServerOffer } from './server-offer.ts';
import { definitionSha256 } from './tool-definition.ts';

const noPins = { pinned: false, inUse: new Map<string, string>() };
const offer = (server: string, tools: readonly string[], more: Partial<ServerOffer> = {}): ServerOffer => ({
  server,
  era: '2025',
  protocolVersion: '2025-11-25',
  serverInfo: null,
  capabilities: {},
  instructions: null,
  tools: offeredTools(
    tools.map((name) => ({ name, inputSchema: { type: 'object' } })),
    noPins,
  ),
  resources: [],
  resourceTemplates: [],
  prompts: [],
  ...more,
});

test('tools are found by their public name, in byte order, in any order of the servers [gateway:N2] [gateway:F4]', () => {
  const offers = [offer('b', ['z', 'a']), offer('a', ['x.y'])];
  const names = [...publicCatalogue(offers, 'qualified').tools.keys()];
  expect(names).toEqual(
    ['a__x_y_e3b2a8a1', 'b__a', 'b__z'].map((name) =>
      name.startsWith('a__') ? expect.stringMatching(/^a__x_y_[0-9a-f]{8}$/) : name,
    ),
  );
  fc.assert(
    fc.property(fc.shuffledSubarray(offers, { minLength: 2 }), (shuffled) => {
      expect([...publicCatalogue(shuffled, 'qualified').tools.keys()]).toEqual(names);
    }),
  );
});

test('bare names are the server’s own, and unusable or repeated ones are held [gateway:N3] [gateway:N4]', () => {
  const catalogue = publicCatalogue([offer('s', ['t', 't', '', 'u'])], 'bare');
  expect([...catalogue.tools.keys()]).toEqual(['t', 'u']);
});

test('a pinned definition that changed is marked until a person accepts it [gateway:L4]', () => {
  const tool = { name: 't', description: 'one', inputSchema: { type: 'object' } };
  const inUse = new Map([['t', definitionSha256(tool)]]);
  const statuses = (pinned: boolean, description: string) =>
    offeredTools([{ ...tool, description }], { pinned, inUse }).map(({ status }) => status);
  expect([statuses(true, 'one'), statuses(true, 'two'), statuses(false, 'two')]).toEqual([
    ['active'],
    ['changed'],
    ['active'],
  ]);
});

test('a URI goes to the server that lists it, then to one with a matching template, then to the only one [gateway:N5]', () => {
  const resources = { resources: {} };
  const one = offer('one', [], {
    capabilities: resources,
    resources: [{ uri: 'a://1' }],
    resourceTemplates: [{ uriTemplate: 't://{id}/x' }],
  });
  const two = offer('two', [], { capabilities: resources, resources: [{ uri: 'a://1' }, { uri: 'a://2' }] });
  const route = (uri: string, offers = [two, one]) => new ResourceRoutes(offers).route(uri);
  expect(route('a://1')).toEqual({ server: 'one', uri: 'a://1' });
  expect(route('a://2')).toEqual({ server: 'two', uri: 'a://2' });
  expect(route('t://7/x')).toEqual({ server: 'one', uri: 't://7/x' });
  expect([route('z://'), route('z://', [two])]).toEqual([undefined, { server: 'two', uri: 'z://' }]);
  expect(route(ownUri('two', 'a://1'))).toEqual({ server: 'two', uri: 'a://1' });
  expect(new ResourceRoutes([two, one]).listed(() => true).map(({ uri }) => uri)).toEqual([
    'a://1',
    'bindery://two/a%3A%2F%2F1',
    'a://2',
  ]);
});

test('names are in UTF-8 byte order', () => {
  const text = fc.string({ unit: 'binary', maxLength: 6 }).filter((value) => value.isWellFormed());
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test('built-in tools have plain names, search first, and aliases; no server can take one', () => {
  const room = offer('context', ['context.resolve', 'context.search', 'context.list_caches']);
  const stranger = offer('context_resolve', ['x', 'context.resolve', 'context_resolve']);
  const { tools, otherNames } = publicCatalogue([stranger, room], 'qualified');
  const own = [...tools].filter(([, { server }]) => server === 'context').map(([name]) => name);
  expect(own).toEqual(['context_search', 'context_list_caches', 'context_resolve']);
  const meant = (name: string) => (tools.get(name) ?? otherNames.get(name))?.server;
  const spellings = ['context_resolve', 'context.resolve', 'context__context_resolve_0428772a'];
  expect(spellings.map(meant)).toEqual(['context', 'context', 'context']);
  expect(publicCatalogue([room], 'bare').otherNames.size).toBe(0);
});
