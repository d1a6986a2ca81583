import { z } from 'zod';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { listOf } from '../administration/list-of.ts';
import type { GatewayDeps } from './deps.ts';
import { EVENT_NAMES } from './event-names.ts';
import { showSession } from './session-operation.ts';

const streamEvents = defineOperation({
  id: 'gateway.events',
  summary: 'Follow what happens, as server-sent events.',
  description: `Each event has an id, a name (${EVENT_NAMES.join(', ')}) and data {"time", "data"}. audit.appended comes at most ten times a second, with {"items", "dropped"}; calls cost least while nobody asks for it. A comment comes every 15 s. Whoever comes back with Last-Event-ID gets what was missed, as long as it is among the last 1,000 and the last 8 MB, else the event reset. The stream ends with the credential that opened it. Who is bound to profiles is told of approvals, calls and tools of those.`,
  input: z.strictObject({
    last_event_id: z.string().optional().describe('id of the last event that was seen'),
    events: z.string().optional().describe('names with commas; default: all'),
  }),
  output: z.custom<ReadableStream<Uint8Array>>(),
  hints: READ_ONLY,
  http: {
    method: 'GET',
    path: '/v1/events',
    perProfile: true,
    showsCallers: true,
    headers: { last_event_id: 'last-event-id' },
    streams: true,
    contentType: 'text/event-stream',
    meta: () => ({ headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' } }),
  },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: ({ last_event_id: lastEventId, events }, deps: GatewayDeps, call) => {
    const names = events === undefined ? EVENT_NAMES : listOf('events', events, EVENT_NAMES);
    return deps.events.stream({ lastEventId, names }, call);
  },
});

export const eventOperations = [streamEvents, showSession];
