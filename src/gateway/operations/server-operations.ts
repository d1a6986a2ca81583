import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { pageInput, pageOf, pageSchema } from '../../contract/paging.ts';
import { addConfiguredServer, removeConfiguredServer } from './add-server-operation.ts';
import type { GatewayDeps } from './deps.ts';
import { ServerDetail, ServerItem, ServerManifest, ServerTest } from './items.ts';
import { testEntry } from './test-server-operation.ts';

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
  run: (input, deps: GatewayDeps, call) => found(deps, input.id, call.caller),
});

const reconnectServer = defineOperation({
  id: 'gateway.reconnect',
  summary: 'Close the connection to a server and its circuit breaker, and connect again.',
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

const registerServer = defineOperation({
  id: 'gateway.register',
  summary: 'Register a server that is reached over HTTP; it never brings a command.',
  input: ServerManifest,
  output: ServerDetail,
  hints: CHANGES,
  http: { method: 'POST', path: '/v1/servers', meta: () => ({ status: 201 }) },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async (manifest, deps: GatewayDeps, call) => {
    if (deps.servers.find(manifest.name)) {
      throw new BinderyError('SERVER_EXISTS', { detail: manifest.name, members: { id: manifest.name } });
    }
    await deps.servers.register(manifest, call.header('authorization'));
    return found(deps, manifest.name);
  },
});

const removeServer = defineOperation({
  id: 'gateway.remove',
  summary: 'Remove a server that registered itself.',
  input: z.strictObject({ id }),
  output: z.object({ id: z.string(), removed: z.literal(true) }),
  hints: { ...CHANGES, destructive: true },
  http: { method: 'DELETE', path: '/v1/servers/{id}' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async (input, deps: GatewayDeps) => {
    found(deps, input.id);
    await deps.servers.remove(input.id);
    return { id: input.id, removed: true as const };
  },
});

const testServer = defineOperation({
  id: 'gateway.test',
  summary: 'Test a server with a second connection beside the one in use, and report the result.',
  input: z.strictObject({ id }),
  output: ServerTest,
  hints: CHANGES,
  http: { method: 'POST', path: '/v1/servers/{id}/test' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: (input, deps: GatewayDeps, call) => {
    found(deps, input.id);
    return deps.servers.test(input.id, call.signal);
  },
});

const trustServer = defineOperation({
  id: 'gateway.trust',
  summary: 'Trust the definition of a server that the project’s config brought.',
  input: z.strictObject({ id }),
  output: ServerDetail,
  hints: CHANGES,
  http: { method: 'POST', path: '/v1/servers/{id}/trust' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async (input, deps: GatewayDeps) => {
    found(deps, input.id);
    await deps.servers.trust(input.id);
    return found(deps, input.id);
  },
});

const loginServer = defineOperation({
  id: 'gateway.login',
  summary: 'Begin the sign-in to a server; a person opens the address.',
  input: z.strictObject({ id }),
  output: z.object({ authorization_url: z.string() }),
  hints: CHANGES,
  http: { method: 'POST', path: '/v1/servers/{id}/login' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async (input, deps: GatewayDeps, call) => {
    found(deps, input.id);
    return { authorization_url: await deps.servers.login(input.id, call.header('authorization')) };
  },
});

const signIn = defineOperation({
  id: 'gateway.sign_in',
  summary: 'Begin your own sign-in to a server that wants one of each user; open the address that it gives.',
  description: 'Whoever may call tools may do this for themselves. GET /v1/servers/{id} shows the steps.',
  input: z.strictObject({ id }),
  output: z.object({ authorization_url: z.string() }),
  hints: CHANGES,
  http: { method: 'POST', path: '/v1/servers/{id}/sign-in', showsCallers: true },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async (input, deps: GatewayDeps, call) => {
    const { credentials } = found(deps, input.id);
    if (credentials !== 'per_user')
      throw new BinderyError('INVALID_ARGUMENTS', {
        detail: `/id: all callers share one sign-in to ${input.id}, which the admin makes`,
      });
    return { authorization_url: await deps.servers.signIn(input.id, call.caller) };
  },
});

export const serverOperations = [
  listServers,
  registerServer,
  getServer,
  reconnectServer,
  enableServer,
  removeServer,
  testServer,
  trustServer,
  loginServer,
  signIn,
  testEntry,
  addConfiguredServer,
  removeConfiguredServer,
];

function found(deps: GatewayDeps, server: string, caller?: string) {
  const detail = deps.servers.find(server, caller);
  if (!detail) throw new BinderyError('SERVER_NOT_FOUND', { detail: server, members: { id: server } });
  return detail;
}
