import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation } from '../../contract/operation.ts';
import { refuseAllButOwner } from '../../contract/owner-only.ts';
import type { GatewayDeps } from './deps.ts';
import { ServerDetail } from './items.ts';

export const Entry = z
  .strictObject({
    transport: z.enum(['stdio', 'http', 'sse']),
    command: z.string().min(1).optional(),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
    url: z.string().optional(),
    identity: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
  })
  .describe('the entry, in the form of mcp.servers in the config');

/** Adds a server to the user's config; `gateway.register` is for servers that register themselves. */
export const addConfiguredServer = defineOperation({
  id: 'gateway.add_server',
  summary: 'Add a server to the config of the person who runs the gateway, and connect to it.',
  input: z.strictObject({ id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/), entry: Entry }),
  output: ServerDetail,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  http: { method: 'POST', path: '/v1/config/servers', meta: () => ({ status: 201 }) },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async ({ id, entry }, deps: GatewayDeps, call) => {
    refuseAllButOwner(call);
    if (deps.servers.find(id)) throw new BinderyError('SERVER_EXISTS', { detail: id, members: { id } });
    await deps.servers.add(id, entry);
    const detail = deps.servers.find(id);
    if (!detail) throw new BinderyError('SERVER_NOT_FOUND', { detail: id, members: { id } });
    return detail;
  },
});

export const removeConfiguredServer = defineOperation({
  id: 'gateway.remove_server',
  summary: 'Remove a server from the config of the person who runs the gateway.',
  input: z.strictObject({ id: z.string().describe('id of the server') }),
  output: z.object({ id: z.string(), removed: z.literal(true) }),
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  http: { method: 'DELETE', path: '/v1/config/servers/{id}' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async ({ id }, deps: GatewayDeps, call) => {
    refuseAllButOwner(call);
    await deps.servers.removeConfigured(id);
    return { id, removed: true as const };
  },
});
