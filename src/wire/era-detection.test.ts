import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginEraDetection, type EraEvent, type EraState, stepEraDetection } from './era-detection.ts';

const walk = (
  transport: EraState['transport'],
  remembered: '2025' | '2026' | undefined,
  events: readonly EraEvent[],
) => {
  let state = beginEraDetection(transport, remembered);
  const steps = [brief(state)];
  for (const event of events) {
    state = stepEraDetection(state, event);
    steps.push(brief(state));
  }
  return steps.join(' → ');
};

const brief = ({ last }: EraState) =>
  'version' in last ? `${last.do} ${last.version}${'fresh' in last && last.fresh ? ' afresh' : ''}` : last.do;

const discovered: EraEvent = { kind: 'result', result: { supportedVersions: ['2026-07-28'] } };
const initialized = (protocolVersion?: string): EraEvent => ({
  kind: 'result',
  result: { protocolVersion, capabilities: {}, serverInfo: { name: 'test', version: '1' } },
});
const refused = (code: number, supported?: string[]): EraEvent => ({
  kind: 'rpc_error',
  code,
  message: 'no',
  data: supported === undefined ? undefined : { supported },
});
const status = (code: number): EraEvent => ({ kind: 'http_status', status: code });

test.each([
  ['a modern server', 'http', undefined, [discovered], 'discover 2026-07-28 → modern 2026-07-28'],
  [
    'a legacy server over HTTP',
    'http',
    undefined,
    [status(400), initialized('2025-11-25')],
    'discover 2026-07-28 → initialize 2025-11-25 → legacy 2025-11-25',
  ],
  [
    'an older legacy server',
    'stdio',
    undefined,
    [refused(-32601), initialized('2025-06-18')],
    'discover 2026-07-28 → initialize 2025-11-25 → legacy 2025-06-18',
  ],
  [
    'a server that names no version',
    'stdio',
    undefined,
    [refused(-32601), initialized()],
    'discover 2026-07-28 → initialize 2025-11-25 → fail',
  ],
  [
    'a stdio server that ignores the probe',
    'stdio',
    undefined,
    [{ kind: 'silence' }, initialized('2025-11-25')],
    'discover 2026-07-28 → initialize 2025-11-25 → legacy 2025-11-25',
  ],
  [
    'a stdio server that exits on the probe',
    'stdio',
    undefined,
    [{ kind: 'closed' }, initialized('2025-11-25')],
    'discover 2026-07-28 → initialize 2025-11-25 afresh → legacy 2025-11-25',
  ],
  [
    'a modern stdio server that is slow to start',
    'stdio',
    undefined,
    [{ kind: 'silence' }, refused(-32601), discovered],
    'discover 2026-07-28 → initialize 2025-11-25 → discover 2026-07-28 → modern 2026-07-28',
  ],
  ['an HTTP server that is silent', 'http', undefined, [{ kind: 'silence' }], 'discover 2026-07-28 → fail'],
  [
    'an HTTP server in trouble',
    'http',
    undefined,
    [status(503), status(503)],
    'discover 2026-07-28 → initialize 2025-11-25 → fail',
  ],
  [
    'a legacy server that trips over the probe',
    'http',
    undefined,
    [status(500), initialized('2025-11-25')],
    'discover 2026-07-28 → initialize 2025-11-25 → legacy 2025-11-25',
  ],
  [
    'an HTTP+SSE server',
    'http',
    undefined,
    [status(405), status(405)],
    'discover 2026-07-28 → initialize 2025-11-25 → legacy_sse',
  ],
  [
    'an HTTP+SSE server in the end',
    'http',
    undefined,
    [status(404), status(404), initialized('2024-11-05')],
    'discover 2026-07-28 → initialize 2025-11-25 → legacy_sse → legacy 2024-11-05',
  ],
  [
    'a server that wants the version once more',
    'http',
    undefined,
    [refused(-32022, ['2026-07-28']), discovered],
    'discover 2026-07-28 → discover 2026-07-28 → modern 2026-07-28',
  ],
  [
    'a server of a later revision only',
    'http',
    undefined,
    [refused(-32022, ['2027-01-01'])],
    'discover 2026-07-28 → fail',
  ],
  [
    'a server that names legacy versions',
    'http',
    undefined,
    [refused(-32022, ['2025-06-18']), initialized('2025-06-18')],
    'discover 2026-07-28 → initialize 2025-11-25 → legacy 2025-06-18',
  ],
  [
    'a server that insists on an older version',
    'stdio',
    '2025',
    [refused(-32602, ['2025-03-26']), initialized('2025-03-26')],
    'initialize 2025-11-25 → initialize 2025-03-26 → legacy 2025-03-26',
  ],
  [
    'a remembered legacy server',
    'http',
    '2025',
    [initialized('2025-11-25')],
    'initialize 2025-11-25 → legacy 2025-11-25',
  ],
  [
    'a remembered legacy server that moved on',
    'http',
    '2025',
    [status(400), discovered],
    'initialize 2025-11-25 → discover 2026-07-28 → modern 2026-07-28',
  ],
  [
    'a remembered modern server that went back',
    'http',
    '2026',
    [status(404), initialized('2025-11-25')],
    'discover 2026-07-28 → initialize 2025-11-25 → legacy 2025-11-25',
  ],
  ['a server of an unknown version', 'stdio', '2025', [initialized('1999-01-01')], 'initialize 2025-11-25 → fail'],
] as const)('%s', (_what, transport, remembered, events, path) => {
  expect(walk(transport, remembered, events)).toBe(path);
});

test.each([
  [{ serverInfo: { name: 'test', version: '1' } }, 'capabilities'],
  [{ capabilities: {} }, 'serverInfo'],
  [{ capabilities: [], serverInfo: {} }, 'capabilities'],
])('an answer to initialize with %j alone is refused', (members, missing) => {
  const result = { protocolVersion: '2025-11-25', ...members };
  const { last } = stepEraDetection(beginEraDetection('stdio', '2025'), { kind: 'result', result });
  expect(last).toEqual({ do: 'fail', reason: `the server gave no ${missing} in its answer to initialize` });
});

test('whatever a server does, detection ends after a few steps', () => {
  const version = fc.constantFrom('2026-07-28', '2025-11-25', '2024-11-05', '2027-01-01', '');
  const event: fc.Arbitrary<EraEvent> = fc.oneof(
    fc
      .record({ supportedVersions: fc.array(version), protocolVersion: version }, { requiredKeys: [] })
      .map((result) => ({ kind: 'result' as const, result })),
    fc
      .tuple(fc.constantFrom(-32022, -32601, -32602, 0), fc.array(version))
      .map(([code, supported]) => refused(code, supported)),
    fc.constantFrom(400, 404, 405, 500).map(status),
    fc.constantFrom<EraEvent>({ kind: 'silence' }, { kind: 'closed' }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom('stdio', 'http', 'sse'),
      fc.constantFrom(undefined, '2025', '2026'),
      fc.array(event, { minLength: 20, maxLength: 20 }),
      (transport, remembered, events) => {
        let state = beginEraDetection(transport, remembered);
        for (const each of events) {
          if (['modern', 'legacy', 'fail'].includes(state.last.do)) return;
          state = stepEraDetection(state, each);
        }
        expect(['modern', 'legacy', 'fail']).toContain(state.last.do);
      },
    ),
    { numRuns: 500 },
  );
});
