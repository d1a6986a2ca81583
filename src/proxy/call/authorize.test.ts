import { expect, test } from 'vitest';
import type { Surface } from '../../contract/approval-surfaces.ts';
import type { BinderyError } from '../../contract/errors.ts';
import { CLIENT, codeOf, exchangeOf, OfflineGateway, requestOf } from '../testing/offline-gateway.ts';
import { authorizeApproved, judgeCall, refuseDeniedServer } from './authorize.ts';
import type { CallContext } from './call-context.ts';
import type { Target } from './client-call.ts';

const TARGET: Target = { kind: 'call', server: 's', tool: 't', name: 's__t', rewrite: {} };
const policy = (operation: object, more: object = {}) => ({
  allowlist: { servers: ['s'], operations: { t: operation }, ...more },
});
const call = (world: OfflineGateway, args: object = {}) =>
  world.request('tools/call', { name: 's__t', arguments: args });
const textOf = (answer: Awaited<ReturnType<typeof call>>) => answer.result?.content[0].text;

test('a refusal says why: the reason of the rule, the argument that is wrong, and when to come again', async () => {
  const world = new OfflineGateway();
  const refused = async (given: object, args: object = {}) => {
    world.setPolicy(given);
    const answer = await call(world, args);
    return [answer.result._meta['bindery/error'].rule, textOf(answer)];
  };
  const judged = { arguments: { properties: { path: { const: '/ok' } } } };
  const closed = { hours: { from: '10:00', to: '11:00', time_zone: 'UTC' } };
  expect([
    await refused(policy({}, { forbidden: ['t'] })),
    await refused(policy({ ...judged, reason: 'not there' }), { path: '/etc\u202e' }),
    await refused(policy(judged), { path: '/etc' }),
    await refused(policy({ allowed_domains: ['ok.example'] }), { 'at\u202e': 'https://evil.example/' }),
    await refused(policy({ approval_required: true, surfaces: [] })),
    await refused(policy(closed)),
  ]).toEqual([
    ['forbidden', expect.stringMatching(/^POLICY_DENIED: Policy does not allow/)],
    ['arguments', expect.stringMatching(/^POLICY_DENIED: not there; \/path must be equal to constant\. /)],
    ['arguments', expect.stringMatching(/^POLICY_DENIED: \/path must be equal to constant\. /)],
    ['arguments', expect.stringMatching(/^POLICY_DENIED: the argument at \/at\\u\{202E\} .*\. /)],
    [
      'approval_required',
      expect.stringMatching(/no approval surface is allowed\. Ask the person who keeps the policy/),
    ],
    [
      'outside_hours',
      expect.stringMatching(/ The hours of the policy allow it again from 2026-11-15T10:00:00\+00:00\.$/),
    ],
  ]);
  expect(world.upstream.sent).toEqual([]);
});

test('ambiguous arguments are refused only if policy judges them', async () => {
  const world = new OfflineGateway();
  const request = requestOf('tools/call', { name: 's__t', arguments: { a: 1, A: 2 } });
  const judge = (given: object) => {
    world.setPolicy(given);
    try {
      return judgeCall(world.ports, { client: CLIENT, request, exchange: exchangeOf() }, TARGET).decision.decision;
    } catch (thrown) {
      return (thrown as BinderyError).code;
    }
  };
  expect([judge(policy({})), judge(policy({ arguments: { type: 'object' } }))]).toEqual(['allow', -32600]);
  const without = requestOf('tools/call', { name: 's__t' });
  const { decision } = judgeCall(world.ports, { client: CLIENT, request: without, exchange: exchangeOf() }, TARGET);
  expect(decision.decision).toBe('allow');
});

test('policy judges a tool by its declared read-only hint, a read and a prompt by their server only', () => {
  const world = new OfflineGateway();
  world.setPolicy(policy({ approval_required: true }, { writes: 'deny' }));
  const judge = (target: Partial<Target>) =>
    judgeCall(
      world.ports,
      { client: CLIENT, request: requestOf('tools/call', {}), exchange: exchangeOf() },
      { ...TARGET, ...target },
    ).decision.decision;
  expect([
    judge({ readOnly: true }),
    judge({ readOnly: false }),
    judge({}),
    judge({ kind: 'read' }),
    judge({ kind: 'prompt' }),
  ]).toEqual(['approval', 'deny', 'deny', 'allow', 'allow']);
});

test('a call may be approved on surfaces that policy and admin both allow', () => {
  const world = new OfflineGateway({ approvalSurfaces: () => ['cli', 'webhook'] });
  const surfaces = (operation: object) => {
    world.setPolicy(policy(operation));
    return judgeCall(
      world.ports,
      { client: CLIENT, request: requestOf('tools/call', {}), exchange: exchangeOf() },
      TARGET,
    ).surfaces;
  };
  expect([
    surfaces({ approval_required: true, surfaces: ['console', 'cli'] }),
    surfaces({ approval_required: true, surfaces: ['console'] }),
    surfaces({}).length > 2,
  ]).toEqual([['cli'], [], true]);
});

test('an approval counts if the current policy allows its surface; if policy no longer asks, it does not matter', () => {
  const world = new OfflineGateway({ approvalSurfaces: () => ['console', 'cli', 'client'] });
  const authorized = (operation: object, via: Surface | null, isApproved = true) => {
    world.setPolicy(policy(operation));
    const context = {
      ports: world.ports,
      client: CLIENT,
      request: requestOf('tools/call', {}),
      exchange: exchangeOf(),
      target: TARGET,
    } as unknown as CallContext;
    try {
      authorizeApproved(context, isApproved ? ({ approval: { id: 'apr_1', decided_via: via } } as never) : undefined);
      return context.judgement.decision.decision;
    } catch (thrown) {
      const { code, members } = thrown as BinderyError;
      return [code, members];
    }
  };
  const asked = { approval_required: true, surfaces: ['console'] };
  expect([
    authorized(asked, 'console'),
    authorized(asked, 'client'),
    authorized(asked, null),
    authorized(asked, 'client', false),
    authorized({}, 'client'),
    // Where nobody has to approve, it does not matter who could.
    authorized({ surfaces: ['console'] }, 'client'),
    authorized({ surfaces: [] }, null, false),
  ]).toEqual([
    'approval',
    ['APPROVAL_DENIED', { approval_id: 'apr_1' }],
    ...['approval', 'approval', 'allow', 'allow', 'allow'],
  ]);
});

test('a server of which policy allows nothing is refused by its name', () => {
  const world = new OfflineGateway();
  const refused = (servers: string[], hours?: object) => {
    world.setPolicy({ allowlist: { servers, ...(hours ? { hours } : {}) } });
    const judged = (now?: () => number) => {
      try {
        refuseDeniedServer(world.ports, CLIENT, 's', now);
        return 'allowed';
      } catch (thrown) {
        const { code, data } = thrown as { code: number; data: unknown };
        return [code, data];
      }
    };
    return [judged(), judged(() => world.now)];
  };
  const denied = [-32603, { code: 'POLICY_DENIED', server: 's' }];
  expect([
    refused(['s']),
    refused(['other']),
    refused(['s'], { from: '10:00', to: '11:00', time_zone: 'UTC' }),
  ]).toEqual([
    ['allowed', 'allowed'],
    [denied, denied],
    ['allowed', denied],
  ]);
});

test('a definition that a person has not accepted is not used, and a denied tool that is held is denied', async () => {
  const world = new OfflineGateway();
  const [offer] = world.offers;
  world.setOffers({ ...offer, tools: offer?.tools.map((tool) => ({ ...tool, status: 'changed' })) } as never);
  const held = codeOf(await call(world));
  world.setPolicy(policy({}, { forbidden: ['t'] }));
  expect([held, codeOf(await call(world))]).toEqual(['DEFINITION_CHANGED', 'POLICY_DENIED']);
});
