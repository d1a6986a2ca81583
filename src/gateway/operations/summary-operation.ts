import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { tabLines } from '../../contract/paging.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import { toTime } from './audit-time.ts';
import type { GatewayDeps } from './deps.ts';

const text = (what: string) => z.string().optional().describe(what);
const count = z.number().int();
const microseconds = z.number().int().nullable();
const figures = {
  ...{ calls: count, ok: count, failed: count, denied: count, undecided: count },
  ...{ p50_us: microseconds, p95_us: microseconds },
};

const Summary = z.object({
  since: z.string(),
  until: z.string(),
  bucket_ms: count,
  total: z.object(figures),
  buckets: z.array(z.object({ time: z.string(), ...figures })),
  servers: z.array(z.object({ server: z.string(), ...figures, buckets: z.array(z.object(figures)).optional() })),
  tools: z.array(z.object({ server: z.string(), tool: z.string(), calls: count, failed: count })),
  truncated: z.boolean().describe('the range has more calls than are read: the oldest are left out'),
});

export const summariseAudit = defineOperation({
  id: 'gateway.audit_summary',
  summary: 'Summarise calls: outcomes and latency over time, by server and by tool.',
  description:
    'denied counts what policy, a limit or a person refused, and unknown names; undecided counts calls whose client stopped waiting before a person decided; failed counts what was sent and did not succeed. Percentiles (p50_us, p95_us) are of the time that calls took once they were sent or queued, approved or not: waiting for the server and for a place in its queue, without the time that a person took to approve. With several nodes it is the node that answers whose calls are counted.',
  input: z.strictObject({
    since: z
      .string()
      .default('1h')
      .describe('a time (RFC 3339), how long ago: 15m, 2h, 7d, or beginning: the first call that matches'),
    until: text('a time (RFC 3339), or how long ago; default: now'),
    buckets: z.number().int().min(1).max(GATEWAY_LIMITS.summaryBucketsMax).default(60).describe('parts of the range'),
    per_server: z.boolean().default(false).describe('divide each server into the same parts'),
    server: text('id of the server'),
    tool: text('name of the tool on its server'),
    caller: text('who called'),
    who: text('a part of the caller, the user or the name of the client; several with commas: any of them'),
    tool_part: text('a part of the name of the tool'),
    outcome: text('ok, tool_error, denied, …; or a group: failed, refused, undecided'),
    q: text('text to find in the record'),
  }),
  output: Summary,
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/audit/summary', perProfile: true, showsCallers: true },
  mcp: false,
  cli: {
    command: 'audit summary',
    print: ({ total, servers }) =>
      tabLines([
        ['server', 'calls', 'failed', 'denied', 'undecided', 'p50 ms', 'p95 ms'],
        ...[...servers, { server: 'all', ...total }].map((one) => [
          ...[one.server, one.calls, one.failed, one.denied, one.undecided, ms(one.p50_us), ms(one.p95_us)],
        ]),
      ]),
  },
  failures: defaultFailures,
  run: async ({ since, until, buckets, per_server: perServer, ...query }, deps: GatewayDeps, { profiles }) => {
    const range = {
      since: since === 'beginning' ? undefined : Date.parse(toTime(since, deps.audit.now())),
      until: until === undefined ? deps.audit.now() : Date.parse(toTime(until, deps.audit.now())),
      buckets,
      perServer,
    };
    if (range.since !== undefined && range.until <= range.since)
      throw new BinderyError('INVALID_ARGUMENTS', { detail: '/until: is not after since' });
    return structuredClone(await deps.audit.summary({ ...query, profiles, kind: 'call' }, range)) as z.output<
      typeof Summary
    >;
  },
});

function ms(us: number | null): string {
  return us === null ? '-' : (us / 1_000).toFixed(1);
}
