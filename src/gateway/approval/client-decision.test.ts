import { expect, test } from 'vitest';
import { GATEWAY_LIMITS } from '../limits.ts';
import { approvalForm, decisionFromClient, mayRemember, shownText } from './approval.ts';

test('the form offers to remember only as far as policy allows it', () => {
  const remembered = (allowed: 'never' | 'session' | 'always') =>
    (approvalForm(allowed) as { properties: { remember?: { enum: string[] } } }).properties.remember?.enum;
  expect([remembered('never'), remembered('session'), remembered('always')]).toEqual([
    undefined,
    ['none', 'session'],
    ['none', 'session', 'always'],
  ]);
  expect(approvalForm('never')).toEqual({
    type: 'object',
    properties: {
      decision: { type: 'string', title: 'Decision', enum: ['approve', 'deny'] },
      reason: { type: 'string', title: 'Reason', maxLength: 500 },
    },
    required: ['decision'],
  });
});

test.each([
  [{ action: 'decline' }, { decision: 'deny' }],
  [{ action: 'cancel' }, undefined],
  [{ action: 'accept' }, undefined],
  [{ content: { decision: 'approve' } }, undefined],
  [{ action: 'accept', content: { decision: 'maybe' } }, undefined],
  [
    { action: 'accept', content: { decision: 'approve' } },
    { decision: 'approve', remember: 'none' },
  ],
  [
    { action: 'accept', content: { decision: 'deny' } },
    { decision: 'deny', remember: 'none' },
  ],
  [{ action: 'decline', content: { decision: 'approve' } }, { decision: 'deny' }],
  [
    { action: 'accept', content: { decision: 'approve', remember: 'session', reason: 7 } },
    { decision: 'approve', remember: 'session' },
  ],
  [
    { action: 'accept', content: { decision: 'approve', remember: 'always', reason: 'fine' } },
    { decision: 'approve', remember: 'none', reason: 'fine' },
  ],
  [
    { action: 'accept', content: { decision: 'approve', remember: 'ever' } },
    { decision: 'approve', remember: 'none' },
  ],
])('the answer %j is the decision %j where a session may be remembered [gateway:V6]', (answer, decision) => {
  expect(decisionFromClient(answer, 'session')).toEqual(decision);
});

test('a client’s approval is remembered permanently only if it says so and policy allows it [gateway:V6]', () => {
  const remembered = (remember: unknown, allowed: 'never' | 'session' | 'always') =>
    decisionFromClient({ action: 'accept', content: { decision: 'approve', remember } }, allowed)?.remember;
  expect((['never', 'session', 'always'] as const).map((allowed) => remembered('always', allowed))).toEqual([
    'none',
    'none',
    'always',
  ]);
  expect(['none', 'session', 'ever', true, undefined].map((said) => remembered(said, 'always'))).toEqual([
    'none',
    'session',
    'none',
    'none',
    'none',
  ]);
});

test('a client’s reason is stored up to 500 characters', () => {
  const kept = (length: number) =>
    decisionFromClient({ action: 'accept', content: { decision: 'deny', reason: 'x'.repeat(length) } }, 'never')?.reason
      ?.length;
  expect([kept(500), kept(501)]).toEqual([500, 500]);
});

test('policy limits what may be remembered', () => {
  const asked = ['none', 'session', 'always'] as const;
  expect(
    (['never', 'session', 'always'] as const).map((allowed) => asked.filter((one) => mayRemember(one, allowed))),
  ).toEqual([['none'], ['none', 'session'], ['none', 'session', 'always']]);
});

test('masked parts are named up to the limit, and the rest is counted', () => {
  const max = GATEWAY_LIMITS.approvalMaskedNamedMax;
  const linesWith = (count: number) =>
    shownText({
      id: 'apr_1',
      server: 's',
      tool: 't',
      reason: null,
      arguments: {},
      masked: Array.from({ length: count }, (_, index) => `/m${index}`),
      arguments_sha256: 'digest',
    })
      .split('\n')
      .slice(3);
  const named = Array.from({ length: max }, (_, index) => `  /m${index}`);
  const heading = 'Masked; show one with: bindery approvals show apr_1 --reveal POINTER';
  expect([linesWith(0), linesWith(1), linesWith(max), linesWith(max + 1)]).toEqual([
    [],
    [heading, '  /m0'],
    [heading, ...named],
    [heading, ...named, '  and 1 more'],
  ]);
});
