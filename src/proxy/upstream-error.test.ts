import { expect, test } from 'vitest';
import type { UpstreamFailure } from './ports.ts';
import { upstreamError, upstreamRpcFailure } from './upstream-error.ts';

const failureOf = (kind: string, more: Partial<UpstreamFailure> = {}): UpstreamFailure =>
  Object.assign(new Error('cannot reach http://10.0.0.1:1 (ECONNREFUSED)'), { name: 'UpstreamError', kind, ...more });

test.each([
  ['timed_out', 'TIMED_OUT'],
  ['refused', 'SERVER_UNAVAILABLE'],
  ['auth', 'AUTH_REQUIRED'],
  ['too_large', 'OUTPUT_TOO_LARGE'],
  ['http', 'UPSTREAM_ERROR'],
  ['closed', 'UPSTREAM_ERROR'],
])('a failure of kind %s is told as %s, without the words of the system [gateway:E2] [gateway:E4]', (kind, code) => {
  const error = upstreamError(failureOf(kind));
  const { code: rpc, message, data } = upstreamRpcFailure(failureOf(kind), 's');
  expect([error.code, error.detail, rpc, message, data]).toEqual([
    code,
    undefined,
    -32603,
    `${code}: ${error.row.title}`,
    { code, server: 's' },
  ]);
});

test('a server that asks for patience is passed on with how much, and its own error as it is [gateway:B1] [gateway:E3]', () => {
  expect([
    upstreamRpcFailure(failureOf('rate_limited', { retryAfterMs: 7_000 }), 's').data,
    upstreamRpcFailure(failureOf('rpc', { rpc: { code: -32050, message: 'mine', data: [1] } }), 's'),
  ]).toMatchObject([
    { code: 'RATE_LIMITED', server: 's', retry_after_ms: 7_000 },
    { code: -32050, message: 'mine', data: [1] },
  ]);
});
