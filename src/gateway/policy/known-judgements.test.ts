import { expect, test } from 'vitest';
import { judge, type PolicyLayer } from './decide.ts';
import { judgeKnown } from './known-judgements.ts';
import { parsePolicy } from './parse-policy.ts';

const layerOf = (allowlist: object, layer: PolicyLayer['layer'] = 'project'): PolicyLayer => ({
  layer,
  file: `${layer}.json`,
  policy: parsePolicy(JSON.stringify({ version: '1.0', allowlist })),
});
const attempt = (server: string, tool: string, value: unknown = {}) => ({
  server,
  tool,
  arguments: { value },
  resolvePath: (path: string) => path,
});

test('a tool that was judged before is judged the same, whichever layers there are', () => {
  const open = layerOf({ servers: ['*'] });
  const narrow = layerOf({ servers: ['a', 'b'], tools: { a: ['read'] }, forbidden: ['b/drop'] }, 'global');
  const stacks = [[], [open], [narrow], [open, narrow], [narrow, open]];
  const attempts = ['a', 'b', 'c'].flatMap((server) => ['read', 'drop'].map((tool) => attempt(server, tool)));
  const judged = (judgeOne: typeof judge) =>
    [...stacks, ...stacks.toReversed(), ...stacks].map((layers) => attempts.map((one) => judgeOne(layers, one)));
  expect(judged(judgeKnown)).toEqual(judged(judge));
});

test('a rule that looks at the arguments looks at those of every call', () => {
  const layers = [layerOf({ servers: ['a'], operations: { 'a/write': { arguments: { required: ['path'] } } } })];
  const decide = (value: unknown) => judgeKnown(layers, attempt('a', 'write', value)).decision.decision;
  expect([decide({ path: 'x' }), decide({}), decide({ path: 'x' })]).toEqual(['allow', 'deny', 'allow']);
});

test('a policy that was changed is another layer, and holds at once', () => {
  const decide = (layer: PolicyLayer) => judgeKnown([layer], attempt('a', 'read')).decision.decision;
  expect([decide(layerOf({ servers: ['a'] })), decide(layerOf({ servers: ['b'] }))]).toEqual(['allow', 'deny']);
});
