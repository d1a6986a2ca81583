import fc from 'fast-check';
import { expect, test } from 'vitest';
import { claimedSince, lastClaim, renewedClaims } from './claims.ts';
import { publicCatalogue } from './public-catalogue.ts';
import { ownUri, ResourceRoutes } from './resource-routes.ts';
import type { Claims, ServerOffer } from './server-offer.ts';
import { matchesTemplate, sampleOf } from './uri-template.ts';

const everyone = () => true;

function offer(
  server: string,
  uris: readonly string[],
  templates: readonly string[] = [],
  claims?: Claims,
): ServerOffer {
  return {
    server,
    era: '2025',
    protocolVersion: '2025-11-25',
    serverInfo: null,
    capabilities: { resources: {} },
    instructions: null,
    tools: [],
    resources: uris.map((uri) => ({ uri, name: server })),
    resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate, name: server })),
    prompts: [],
    ...(claims ? { claims } : {}),
  };
}

const since = (time: number, later: Record<string, number> = {}): Claims => ({ since: time, later });

test('a server does not take over what another listed first, whatever its id', () => {
  const notes = offer('notes', ['note://1'], ['page://{id}'], since(1));
  const aaa = offer('aaa', ['note://1', 'page://7'], ['page://{+path}'], since(2));
  const routes = new ResourceRoutes([aaa, notes]);
  expect(['note://1', 'page://7', 'page://8'].map((uri) => routes.route(uri)?.server)).toEqual([
    'notes',
    'notes',
    'notes',
  ]);
  expect(routes.listed(everyone).map(({ uri, name }) => [name, uri])).toEqual([
    ['aaa', 'bindery://aaa/note%3A%2F%2F1'],
    ['aaa', 'bindery://aaa/page%3A%2F%2F7'],
    ['notes', 'note://1'],
  ]);
  expect(routes.listedTemplates(everyone).map(({ uriTemplate }) => uriTemplate)).toEqual([
    'bindery://aaa/page://{+path}',
    'page://{id}',
  ]);
  expect(routes.conflicts('aaa')).toEqual([
    { kind: 'resource', name: 'note://1', owner: 'notes' },
    { kind: 'resource', name: 'page://7', owner: 'notes' },
    { kind: 'template', name: 'page://{+path}', owner: 'notes' },
  ]);
  expect(routes.conflicts('notes')).toEqual([]);
});

test('a resource of another server has its own form even if policy hides the owner', () => {
  const routes = new ResourceRoutes([
    offer('aaa', ['note://1'], [], since(2)),
    offer('notes', ['note://1'], [], since(1)),
  ]);
  expect(routes.listed(({ server }) => server === 'aaa').map(({ uri }) => uri)).toEqual([ownUri('aaa', 'note://1')]);
});

test('a server cannot list the own form of another server', () => {
  const routes = new ResourceRoutes([
    offer('aaa', ['bindery://notes/x'], ['bindery://notes/{x}'], since(1)),
    offer('notes', ['note://1'], [], since(2)),
  ]);
  expect(routes.listed(everyone).map(({ uri }) => uri)).toEqual([ownUri('aaa', 'bindery://notes/x'), 'note://1']);
  expect(routes.listedTemplates(everyone).map(({ uriTemplate }) => uriTemplate)).toEqual([
    'bindery://aaa/bindery://notes/{x}',
  ]);
  expect(routes.route('bindery://notes/x')).toEqual({ server: 'notes', uri: 'x' });
});

test('a server that is off keeps its URIs: no other server answers for them, and an unknown URI finds no new server', () => {
  const good = offer('good', ['note://a'], ['note://{x}'], since(1));
  const evil = offer('evil', ['note://a', 'own://1'], ['note://{+x}'], since(2));
  const routes = new ResourceRoutes([evil], [good]);
  const uris = ['note://a', 'note://zz', 'bindery://good/note://a', 'own://1', 'bindery://evil/note://a', 'none://1'];
  expect(uris.map((uri) => [routes.route(uri)?.server, routes.absentOwner(uri)])).toEqual([
    [undefined, 'good'],
    [undefined, 'good'],
    [undefined, 'good'],
    ['evil', undefined],
    ['evil', undefined],
    [undefined, undefined],
  ]);
  expect([routes.template('note://{x}'), routes.template('note://{+x}')?.server]).toEqual([undefined, 'evil']);
  expect(routes.listed(everyone).map(({ uri }) => uri)).toEqual([ownUri('evil', 'note://a'), 'own://1']);
  expect(routes.listedTemplates(everyone).map(({ uriTemplate }) => uriTemplate)).toEqual([
    'bindery://evil/note://{+x}',
  ]);
  expect(routes.conflicts('evil').map(({ owner }) => owner)).toEqual(['good', 'good']);
  expect([
    routes.isOf([evil], [good]),
    routes.isOf([evil]),
    routes.isOf([evil, good]),
    routes.isOf([good], [evil]),
  ]).toEqual([true, false, false, false]);
});

test('among several servers a template without a scheme claims nothing, even if it is the oldest', () => {
  const greedy = offer('greedy', [], ['{+x}', 'n{+x}', '{scheme}://x'], since(1));
  const good = offer('good', ['note://a'], ['note://{x}'], since(2));
  const routes = new ResourceRoutes([greedy, good]);
  expect(['note://a', 'note://zz', 'bindery://greedy/note://zz'].map((uri) => routes.route(uri)?.server)).toEqual([
    'good',
    'good',
    'greedy',
  ]);
  expect(routes.route('none://1')).toBeUndefined();
  expect(routes.listedTemplates(everyone).map(({ uriTemplate }) => uriTemplate)).toEqual([
    'note://{x}',
    'bindery://greedy/{+x}',
    'bindery://greedy/n{+x}',
    'bindery://greedy/{scheme}://x',
  ]);
  expect([routes.conflicts('greedy'), routes.conflicts('good')]).toEqual([[], []]);
  expect(new ResourceRoutes([greedy]).listedTemplates(everyone)).toEqual(greedy.resourceTemplates);
});

test('quarantine takes no URI from a server whose resources were usable once', () => {
  const held = { sha256: '', status: 'quarantined' } as const;
  const used = renewedClaims(offer('good', ['note://a']), undefined, 1);
  const good = { ...offer('good', ['note://a']), extras: held };
  const evil = offer('evil', ['note://a'], [], since(2));
  const owner = (claims: Claims) => new ResourceRoutes([{ ...good, claims }, evil]).route('note://a')?.server;
  const never = renewedClaims(good, undefined, 1);
  expect([owner(used), owner(renewedClaims(good, { ...good, claims: used }, 3)), owner(never)]).toEqual([
    'good',
    'good',
    'evil',
  ]);
});

test('own forms address one server, encoded or plain', () => {
  const routes = new ResourceRoutes([offer('a', []), offer('b', [])]);
  expect(routes.route('bindery://b/note%3A%2F%2F1%2520x')).toEqual({ server: 'b', uri: 'note://1%20x' });
  expect(routes.route('bindery://b/note://1%20x')).toEqual({ server: 'b', uri: 'note://1%20x' });
  expect(routes.template('bindery://b/note://{id}')).toEqual({ server: 'b', uri: 'note://{id}' });
  expect(routes.route('bindery://gone/note://1')).toBeUndefined();
  expect(routes.route('bindery://b/%E0')).toBeUndefined();
});

const URIS = ['a://1', 'a://2', 'a://1/x', 'b://1', 'bindery://s0/y'];
const TEMPLATES = ['a://{id}', 'a://{+path}', 'b://1', '{+all}'];
const offers = fc
  .array(
    fc.record({
      uris: fc.subarray(URIS),
      templates: fc.subarray(TEMPLATES),
      since: fc.nat(2),
      later: fc.dictionary(
        fc.constantFrom(...URIS.map((uri) => `resource ${uri}`), ...TEMPLATES.map((uri) => `template ${uri}`)),
        fc.nat(4),
      ),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((servers) =>
    servers.map((server, index) =>
      offer(`s${index}`, server.uris, server.templates, since(server.since, server.later)),
    ),
  );

/**
 * The rule, written down: of all claims on a URI the oldest, then a listing before a template, then the smaller id. Among several
 * servers a template without a scheme is no claim.
 */
function naiveOwner(all: readonly ServerOffer[], uri: string): string | undefined {
  const claims = all.flatMap((each) => [
    ...each.resources.flatMap(({ uri: listed }) =>
      listed === uri ? [[claimedSince(each, 'resource', uri), 0, each.server] as const] : [],
    ),
    ...each.resourceTemplates.flatMap(({ uriTemplate }) =>
      matchesTemplate(uriTemplate, uri) && (all.length === 1 || !(uriTemplate as string).startsWith('{'))
        ? [[claimedSince(each, 'template', uriTemplate as string), 1, each.server] as const]
        : [],
    ),
  ]);
  return claims.toSorted((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1))[0]?.[2];
}

test('the owner of a URI follows the rule, in any order of the servers', () => {
  fc.assert(
    fc.property(offers, fc.constantFrom(...URIS.filter((uri) => !uri.startsWith('bindery:')), 'c://1'), (all, uri) => {
      const owner = naiveOwner(all, uri) ?? (all.length === 1 ? 's0' : undefined);
      expect(new ResourceRoutes(all).route(uri)?.server).toBe(owner);
      expect(new ResourceRoutes(all.toReversed()).route(uri)?.server).toBe(owner);
    }),
    { numRuns: 3_000 },
  );
});

test('every listed resource leads to the server that listed it', () => {
  fc.assert(
    fc.property(offers, (all) => {
      const routes = new ResourceRoutes(all);
      for (const each of all) {
        const isOurs = ({ server }: ServerOffer) => server === each.server;
        const listed = routes.listed(isOurs).map(({ uri }) => routes.route(uri as string));
        expect(listed).toEqual(each.resources.map(({ uri }) => ({ server: each.server, uri })));
        const templates = routes
          .listedTemplates(isOurs)
          .map(({ uriTemplate }) => routes.template(uriTemplate as string));
        expect(templates).toEqual(
          each.resourceTemplates.map(({ uriTemplate }) => ({ server: each.server, uri: uriTemplate })),
        );
        for (const { uriTemplate } of routes.listedTemplates(isOurs))
          if ((uriTemplate as string).startsWith('bindery://'))
            expect(routes.route(sampleOf(uriTemplate as string))?.server).toBe(each.server);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('known items keep their claim, and new ones get the current time', () => {
  const first = renewedClaims(offer('s', ['a://1', 'a://2']), undefined, 10);
  const second = { ...offer('s', ['a://1', 'a://3'], ['t://{x}']), claims: first };
  const claims = renewedClaims(second, { ...offer('s', ['a://1', 'a://2']), claims: first }, 20);
  const now = { ...second, claims };
  const times = [
    claimedSince(now, 'resource', 'a://1'),
    claimedSince(now, 'resource', 'a://3'),
    claimedSince(now, 'template', 't://{x}'),
  ];
  expect([times, lastClaim(now)]).toEqual([[10, 20, 20], 20]);
  // What was left out for a while has no older claim than anything else that is new.
  const back = { ...offer('s', ['a://2', 'a://3']), claims: renewedClaims(offer('s', ['a://2', 'a://3']), now, 30) };
  expect([claimedSince(back, 'resource', 'a://2'), claimedSince(back, 'resource', 'a://3')]).toEqual([30, 20]);
});

test('offers stored without claims are the oldest', () => {
  const old = offer('z', ['a://1']);
  const claims = renewedClaims(offer('z', ['a://1', 'a://2']), old, 20);
  expect(claims).toEqual({ since: 0, later: { 'resource a://2': 20 }, wereUsable: true });
  expect(new ResourceRoutes([old, offer('a', ['a://1'], [], since(1))]).route('a://1')?.server).toBe('z');
});

test('a public name of two prompts belongs to the older claim', () => {
  const prompts = [{ name: 'p' }];
  const [one, two] = [
    { ...offer('one', []), prompts, claims: since(2) },
    { ...offer('two', []), prompts, claims: since(1) },
  ];
  // Bare names of several servers stand for names that collide.
  expect(publicCatalogue([one, two], 'bare').prompts.get('p')?.server).toBe('two');
});
