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
