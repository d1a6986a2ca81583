import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation } from '../../contract/operation.ts';
import { refuseAllButOwner } from '../../contract/owner-only.ts';
import { workStream } from '../../contract/work-stream.ts';
import { Entry } from './add-server-operation.ts';
import type { GatewayDeps } from './deps.ts';

/** Tests a server before its entry is stored. */
export const testEntry = defineOperation({
  id: 'gateway.test_entry',
  summary: 'Connect to a server that is not in the config yet, and tell each step as it is taken.',
  description:
    'Lines of JSON: {"step": {"name": "connect" | "initialize" | "list", "state": "running" | "done" | "failed", "ms"}} as each step is taken, then {"result"}, as gateway.test answers, or {"problem"}. Nothing is written, and the connection is closed again.',
  input: z.strictObject({ id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/), entry: Entry }),
  output: z.custom<ReadableStream<Uint8Array>>(),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  http: {
    method: 'POST',
    path: '/v1/config/servers/test',
    streams: true,
    contentType: 'application/x-ndjson',
    meta: () => ({ headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' } }),
  },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: ({ id, entry }, deps: GatewayDeps, call) => {
    refuseAllButOwner(call);
    if (deps.servers.find(id)) throw new BinderyError('SERVER_EXISTS', { detail: id, members: { id } });
    return workStream((tell, signal) => deps.servers.testEntry(id, entry, { signal, tell }), call, defaultFailures);
  },
});
