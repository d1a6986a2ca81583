import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { pageInput, pageOf, pageSchema } from '../../contract/paging.ts';
import type { GatewayDeps } from './deps.ts';
import { ServerDetail, ServerItem } from './items.ts';

const CHANGES = { readOnly: false, destructive: false, idempotent: true, openWorld: false } as const;
const id = z.string().describe('id of the server');

const listServers = defineOperation({
  id: 'gateway.servers',
  summary: 'List the servers of the gateway with their states.',
  input: z.strictObject({ ...pageInput }),
  output: pageSchema(ServerItem).extend({ config_error: z.string().optional() }),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/servers' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: (input, deps: GatewayDeps) => {
    const error = deps.servers.configError();
    return {
      ...pageOf(deps.servers.list(), (item) => item.id, input),
      ...(error === undefined ? {} : { config_error: error }),
    };
  },
});

const getServer = defineOperation({
  id: 'gateway.server',
  summary: 'Show one server with the end of what it wrote to stderr.',
  input: z.strictObject({ id }),
  output: ServerDetail,
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/servers/{id}' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: (input, deps: GatewayDeps) => found(deps, input.id),
});

const reconnectServer = defineOperation({
  id: 'gateway.reconnect',
  summary: 'Drop the connection to a server, close its breaker, and connect anew.',
  input: z.strictObject({ id }),
  output: ServerDetail,
  hints: CHANGES,
  http: { method: 'POST', path: '/v1/servers/{id}/reconnect' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async (input, deps: GatewayDeps) => {
    found(deps, input.id);
    await deps.servers.reconnect(input.id);
    return found(deps, input.id);
  },
});

const enableServer = defineOperation({
  id: 'gateway.enable',
  summary: 'Switch a server of the config on or off.',
  input: z.strictObject({ id, enabled: z.boolean() }),
  output: ServerDetail,
  hints: CHANGES,
  http: { method: 'PATCH', path: '/v1/servers/{id}' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async (input, deps: GatewayDeps) => {
    found(deps, input.id);
    await deps.servers.setEnabled(input.id, input.enabled);
    return found(deps, input.id);
  },
});

export const serverOperations = [listServers, getServer, reconnectServer, enableServer];

function found(deps: GatewayDeps, server: string) {
  const detail = deps.servers.find(server);
  if (!detail) throw new BinderyError('SERVER_NOT_FOUND', { detail: server, members: { id: server } });
  return detail;
}
