import { expect, test } from 'vitest';
import { upstreamError, upstreamRpcFailure } from './upstream-error.ts';

const failure = Object.assign(new Error('needs more'), { name: 'UpstreamError', kind: 'auth', status: 403 });

test('a call that lacks a scope says which one, on both kinds of answers', () => {
  const lacking = Object.assign(failure, { scope: 'mcp:write' });
  const { code, detail, members } = upstreamError(lacking);
  expect([code, detail, members]).toEqual([
    'AUTH_REQUIRED',
    'this call needs the scope "mcp:write"',
    { scope: 'mcp:write' },
  ]);
  expect(upstreamRpcFailure(lacking, 'web').data).toEqual({ code: 'AUTH_REQUIRED', server: 'web', scope: 'mcp:write' });
});
