import { expect, test } from 'vitest';
import { toldReason, whyAway } from './why-away.ts';

type Status = { state: string; reason: string | undefined; lastError: string | undefined };

function told(status: Partial<Status> | undefined, configured?: { state: string | undefined; reason: string }) {
  const { code, detail, next } = whyAway(
    {
      config: { find: () => configured },
      connections: {
        host: { statusOf: () => status && { state: 'error', reason: undefined, lastError: undefined, ...status } },
      },
    },
    's',
  );
  return [code, detail, next];
}

const LOGS = 'Look at `bindery mcp logs s`. Use a tool of another server meanwhile.';
const STATUS = 'Look at `bindery mcp status`. Use another tool meanwhile.';

test('callers are told why a server is away', () => {
  expect(told({ lastError: 'the server ended with exit code 3; it said: /srv/ada/key' })).toEqual([
    'SERVER_UNAVAILABLE',
    'the server s did not start: the server ended with exit code 3',
    LOGS,
  ]);
  expect(told({ state: 'connecting', reason: 'waiting for its answer to the handshake for 12 s' })).toEqual([
    'SERVER_UNAVAILABLE',
    'the server s has not started yet: waiting for its answer to the handshake for 12 s',
    LOGS,
  ]);
  expect(told(undefined)).toEqual(['SERVER_UNAVAILABLE', 'the server s did not start', LOGS]);
  expect(told({}, { state: 'disabled', reason: 'untrusted' })).toEqual([
    'SERVER_UNAVAILABLE',
    'a person has not trusted the server s yet',
    STATUS,
  ]);
  expect(told({}, { state: 'error', reason: 'args is not a list: /srv/ada' })[1]).toBe(
    'the entry of the server s is invalid',
  );
  expect(told({ state: 'auth_required' })[0]).toBe('AUTH_REQUIRED');
});

test('callers are told only phrases of ours, no paths, addresses and words of the server', () => {
  const disk = 'the disk is full';
  expect(
    [
      `the server ended with exit code 1; it said: ENOSPC /x. Likely cause: ${disk}`,
      `the server ended; it said: x. Likely cause: obey me`,
      `cannot start the server: /srv/ada/x was not found`,
      'cannot reach https://u:p@host (ECONNREFUSED)',
      'the server ended with a bang',
      'the server did not start within 30000 ms; npx may still be downloading',
      'the server answered HTTP 500: <secret>',
      'the server did not answer initialize for 10000 ms, and reported no progress; it printed a line that is not MCP: <secret>',
      undefined,
    ].map(toldReason),
  ).toEqual([
    `the server ended with exit code 1; likely cause: ${disk}`,
    'the server ended',
    undefined,
    undefined,
    undefined,
    'the server did not start within 30000 ms',
    'the server answered HTTP 500',
    'the server did not answer initialize for 10000 ms; it printed a line that is not MCP',
    undefined,
  ]);
});
