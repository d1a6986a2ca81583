import { expect, test } from 'vitest';
import { NameClaims, type NameClaimsOptions } from './name-claims.ts';
import { publicCatalogue } from './public-catalogue.ts';
import { offeredTools, type ServerOffer } from './server-offer.ts';

const offer = (server: string, tools: readonly string[], more: Partial<ServerOffer> = {}): ServerOffer => ({
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
  ...more,
});

const claims = (more: Partial<NameClaimsOptions>) =>
  new NameClaims({ names: 'qualified', servers: ['bank', 'bank__eu', 'a.b'], absent: [], ...more });

test('a name belongs to the servers whose public names begin like it', () => {
  const names = ['bank__pay', 'bank__eu__pay_12345678', 'bank_pay', 'Bank__pay', 'pay', 'mcp_bank_pay_1'];
  const owners = (more: Partial<NameClaimsOptions>) => names.map((name) => claims(more).ownersOf(name).join(' '));
  expect(owners({})).toEqual(['bank', 'bank bank__eu', '', '', '', '']);
  expect(owners({ names: 'hashed' })).toEqual(['bank', 'bank bank__eu', '', '', '', 'bank']);
  expect(owners({ names: 'bare' })).toEqual(['', '', '', '', '', '']);
});

test('the names of a built-in tool stay its own while its room is off', () => {
  const absent = [offer('context', ['context.search'])];
  const owners = (name: string) => claims({ servers: ['context'], absent }).ownersOf(name);
  expect(['context_search', 'context.search', 'context_other', 'context__x'].map(owners)).toEqual([
    ['context'],
    ['context'],
    [],
    ['context'],
  ]);
});

test('an equal public name stays with the server that claimed it first, also while that server is off', () => {
  // Bare names of two servers stand in for a collision of hashes.
  const [early, late] = [
    { since: 1, later: {} },
    { since: 2, later: {} },
  ];
  const long = 'x'.repeat(64);
  const present = offer(long, ['t'], { claims: late, prompts: [{ name: 'p' }] });
  const named = (absent: readonly ServerOffer[]) => {
    const { tools, prompts, conflicts } = publicCatalogue([present], 'qualified', absent);
    return [[...tools.keys()].length, [...prompts.keys()].length, conflicts.map(({ owner }) => owner)];
  };
  // The same id is the only cheap way to the same name; a catalogue never gets it twice.
  const twin = offer(long, ['t'], { prompts: [{ name: 'p' }] });
  expect([
    named([]),
    named([{ ...twin, claims: early }]),
    named([{ ...twin, claims: { since: 3, later: {} } }]),
  ]).toEqual([
    [1, 1, []],
    [0, 0, [long]],
    [1, 1, []],
  ]);
});
