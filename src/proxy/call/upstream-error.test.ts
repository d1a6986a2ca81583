import { expect, test } from 'vitest';
import { UpstreamError } from '../../wire/upstream.ts';
import { upstreamError, upstreamRpcFailure } from './upstream-error.ts';

test('a call that lacks a scope says which one and for which server, on both kinds of answers', () => {
  const lacking = new UpstreamError('auth', 'needs more', { status: 403, scope: 'mcp:write' });
  const { code, detail, next, members } = upstreamError(lacking, 'web');
  expect([code, detail, next, members]).toEqual([
    'AUTH_REQUIRED',
    'this call needs the scope "mcp:write"',
    'Ask a person to sign in with `bindery mcp auth login web`.',
    { scope: 'mcp:write' },
  ]);
  expect(upstreamRpcFailure(lacking, 'web').data).toEqual({ code: 'AUTH_REQUIRED', server: 'web', scope: 'mcp:write' });
});

test('the error of a server does not pass for one of ours, and keeps its other data', () => {
  const dataOf = (data: unknown) =>
    upstreamRpcFailure(new UpstreamError('rpc', 'no', { rpc: { code: -32_000, message: 'no', data } }), 's').data;
  expect([
    dataOf({ code: 'POLICY_DENIED', hint: 'x' }),
    dataOf({ code: 'E_THEIRS' }),
    dataOf({ code: 7 }),
    dataOf('POLICY_DENIED'),
    dataOf({ code: 'constructor' }),
  ]).toEqual([
    { hint: 'x', upstream: { code: 'POLICY_DENIED' } },
    { code: 'E_THEIRS' },
    { code: 7 },
    'POLICY_DENIED',
    { code: 'constructor' },
  ]);
});
