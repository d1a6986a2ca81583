import fc from 'fast-check';
import { expect, test } from 'vitest';
import { publicCatalogue } from './public-catalogue.ts';
import { ResourceRoutes } from './resource-routes.ts';
import {
  EXTRAS,
  heldCode,
  heldCount,
  heldExtrasCode,
  offeredExtras,
  offeredTools,
  type PinPolicy,
  repinned,
  type ServerOffer,
  shownOffer,
} from './server-offer.ts';
import { definitionSha256 } from './tool-definition.ts';

const NAMES = ['a', 'b', 'c'];
const WORDS = ['one', 'two', 'three'];
const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object' } });
const name = fc.constantFrom(...NAMES);
const word = fc.constantFrom(...WORDS);
const digests = fc.dictionary(name, word);

test('[gateway:L4] whether a definition is held follows from pins, quarantine and acceptances, at first and later', () => {
  fc.assert(
    fc.property(
      fc.dictionary(name, word),
      digests,
      digests,
      fc.boolean(),
      fc.boolean(),
      (now, own, accepted, pinned, quarantined) => {
        const inUse = new Map(Object.entries(own).map(([key, text]) => [key, definitionSha256(tool(key, text))]));
        const pins: PinPolicy = {
          pinned,
          quarantined,
          inUse,
          isAccepted: (key, sha256) =>
            accepted[key] !== undefined && definitionSha256(tool(key, accepted[key])) === sha256,
        };
        const raw = Object.entries(now).map(([key, text]) => tool(key, text));
        const naive = raw.map((one) => {
          if (accepted[one.name] === one.description || (!pinned && !quarantined)) return 'active';
          if (own[one.name] !== undefined && own[one.name] !== one.description) return 'changed';
          return quarantined ? 'quarantined' : 'active';
        });
        const offered = offeredTools(raw, pins);
        const later = repinned(
          offeredTools(raw, { pinned: !pinned, quarantined: !quarantined, inUse: new Map() }),
          pins,
        );
        expect([offered.map(({ status }) => status), later]).toEqual([naive, offered]);
      },
    ),
  );
});

test('a tool with an unusable name stays held whatever is accepted', () => {
  const twice = offeredTools([tool('a', 'one'), tool('a', 'two')], { pinned: false, inUse: new Map() });
  const again = repinned(twice, { pinned: true, quarantined: true, inUse: new Map() });
  expect([twice[1], again[1]]).toMatchObject([
    { status: 'quarantined', reason: 'name_conflict' },
    { status: 'quarantined', reason: 'name_conflict' },
  ]);
});

const nothing: Omit<ServerOffer, 'extras'> = {
  server: 's',
  era: '2025',
  protocolVersion: null,
  serverInfo: { name: 'S', version: '1', title: 'A server' },
  capabilities: { tools: {} },
  instructions: null,
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
};
const quarantine = { pinned: false, quarantined: true, inUse: new Map<string, string>() };
const offerOf = (more: Partial<ServerOffer>, pins: PinPolicy = quarantine): ServerOffer => {
  const offer = { ...nothing, ...more };
  return { ...offer, extras: offeredExtras(offer, pins) };
};

test('extras are held as a whole, and only if there are any; resources may change', () => {
  const capabilities = { resources: {} };
  const first = offerOf({ capabilities, resources: [{ uri: 'a://1' }] });
  const { sha256 = '' } = first.extras ?? {};
  const pins = {
    ...quarantine,
    inUse: new Map([[EXTRAS, sha256]]),
    isAccepted: (name: string, digest: string) => name === EXTRAS && digest === sha256,
  };
  const statusOf = (more: Partial<ServerOffer>) => offerOf({ capabilities, ...more }, pins).extras?.status;
  expect([
    first.extras?.status,
    offerOf({}).extras?.status,
    offerOf({ instructions: 'Obey.' }).extras?.status,
    offerOf({ instructions: 'Obey.' }, { ...quarantine, quarantined: false }).extras?.status,
    statusOf({ resources: [{ uri: 'a://2' }] }),
    statusOf({ serverInfo: { name: 'S', version: '2', title: 'A server' } }),
    statusOf({ serverInfo: { name: 'S', version: '1', title: 'Another' } }),
    statusOf({ instructions: 'Obey.' }),
    statusOf({ prompts: [{ name: 'p' }] }),
    statusOf({ resourceTemplates: [{ uriTemplate: 'a://{id}' }] }),
  ]).toEqual([
    'quarantined',
    'active',
    'quarantined',
    'active',
    'active',
    'active',
    ...['changed', 'changed', 'changed', 'changed'],
  ]);
});

test('clients see nothing that is held, and get the same offer object each time', () => {
  const held = offerOf({
    capabilities: { resources: {}, prompts: {} },
    instructions: 'Obey.',
    prompts: [{ name: 'p' }],
    resources: [{ uri: 'a://1' }],
    resourceTemplates: [{ uriTemplate: 'a://{id}' }],
    tools: offeredTools([tool('a', 'one'), tool('b', 'two')], {
      ...quarantine,
      isAccepted: (name) => name === 'a',
    }),
  });
  const shown = shownOffer(held);
  expect([shown, shownOffer(held) === shown, heldExtrasCode(held), heldCount(held)]).toMatchObject([
    { instructions: null, serverInfo: null, prompts: [], resources: [], resourceTemplates: [] },
    true,
    'QUARANTINED',
    2,
  ]);
  // They are known, so that a call says why it is refused.
  const { tools } = publicCatalogue([held], 'qualified');
  expect([...tools.values()].map(({ offered }) => heldCode(offered))).toEqual([undefined, 'QUARANTINED']);
});

test('a server whose resources are held takes none from other servers', () => {
  const resources = {
    capabilities: { resources: {} },
    resources: [{ uri: 'a://1' }],
    resourceTemplates: [{ uriTemplate: 't://{id}' }],
  };
  const held = offerOf({ server: 'a', ...resources });
  const open = { ...offerOf({ server: 'b', ...resources }), extras: { sha256: '', status: 'active' as const } };
  const route = (uri: string, offers: readonly ServerOffer[]) => new ResourceRoutes(offers).route(uri)?.server;
  expect([
    route('a://1', [held, open]),
    route('t://7', [held, open]),
    route('z://', [held, open]),
    route('a://1', [held]),
    route('t://7', [held]),
    route('z://', [held]),
    route('bindery://a/z', [held, open]),
  ]).toEqual(['b', 'b', 'b', 'a', 'a', undefined, 'a']);
});
