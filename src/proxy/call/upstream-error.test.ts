import { expect, test } from 'vitest';
import { UpstreamError } from '../../wire/upstream.ts';
import { upstreamError, upstreamRpcFailure } from './upstream-error.ts';

test('a call that lacks a scope says which one, on both kinds of answers', () => {
  const lacking = new UpstreamError('auth', 'needs more', { status: 403, scope: 'mcp:write' });
  const { code, detail, members } = upstreamError(lacking);
  expect([code, detail, members]).toEqual([
    'AUTH_REQUIRED',
    'this call needs the scope "mcp:write"',
    { scope: 'mcp:write' },
  ]);
  expect(upstreamRpcFailure(lacking, 'web').data).toEqual({ code: 'AUTH_REQUIRED', server: 'web', scope: 'mcp:write' });
});
