import { z } from 'zod';
import { BinderyError, ERRORS } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { pageInput, pageOf, pageSchema, tabLines } from '../../contract/paging.ts';
import { failureText } from '../adapters/server-tools.ts';
import { offlineStatus, StatusItem } from '../status-item.ts';
import { untrustedReason } from '../trust/trust-store.ts';
import { ADD_SERVERS, NO_SERVERS } from './config-operations.ts';
import { findServer, type HostDeps, noSuchServer, type Probe, type RunningGateway } from './deps.ts';

const NO_GATEWAY = 'no gateway is running';
const id = z.string().describe('id of the server');

const statusOfServers = defineOperation({
  id: 'host.status',
  summary: 'Show the state of the MCP servers in the running gateway, without waiting for them.',
  input: z.strictObject({ id: id.optional(), ...pageInput }),
  output: pageSchema(StatusItem).extend({
    config_error: z.string().optional(),
    gateway: z.enum(['running', 'not_running']).describe('whether the states are those of a running gateway'),
  }),
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: {
    command: 'mcp status',
    positional: ['id'],
    manyLines: ['reason', 'last_error'],
    exit: ({ gateway }) => (gateway === 'running' ? 0 : ERRORS.GATEWAY_NOT_RUNNING.exit),
    hint: ({ items }) => (items.length === 0 ? ADD_SERVERS : ''),
    note: ({ gateway }) => (gateway === 'running' ? '' : `${NO_GATEWAY}: start one with \`bindery up\`\n`),
    print: ({ items }, input) => {
      if (items.length === 0) return NO_SERVERS;
      const rows = items.map((item) => [
        item.id,
        item.transport ?? '-',
        item.source,
        item.enabled,
        item.state,
        item.tools,
        item.reason,
      ]);
      return `${tabLines(rows)}${input.id === undefined ? '' : detailLines(items[0] as StatusItem)}`;
    },
  },
  failures: defaultFailures,
  run: async ({ id: only, ...page }, deps: HostDeps) => {
    const gateway = await deps.findGateway();
    const { items, config_error } = gateway ? await gatewayStatus(gateway) : await configStatus(deps);
    const chosen = only === undefined ? items : items.filter((item) => item.id === only);
    if (only !== undefined && chosen.length === 0) throw noSuchServer(only, items);
    return {
      ...pageOf(chosen, (item) => item.id, page),
      ...(config_error === undefined ? {} : { config_error }),
      gateway: gateway ? ('running' as const) : ('not_running' as const),
    };
  },
});

const testServer = defineOperation({
  id: 'host.test',
  summary: 'Connect to an MCP server, list its tools, and disconnect.',
  input: z.strictObject({
    id,
    scope: z
      .enum(['effective', 'project', 'global'])
      .default('effective')
      .describe('which config file; both by default'),
  }),
  output: z.object({
    id: z.string(),
    ok: z.boolean(),
    era: z.string().nullable(),
    protocol_version: z.string().nullable(),
    server_info: z.unknown(),
    tools: z.number().nullable().describe('tools that a gateway offers'),
    tools_left_out: z.number().optional().describe('tools that the server lists and a gateway does not offer'),
    left_out_reason: z.string().optional(),
    ms: z.number(),
    error: z.string().nullable(),
  }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  http: false,
  mcp: false,
  cli: {
    command: 'mcp test',
    positional: ['id'],
    manyLines: ['error'],
    print: (report) =>
      report.ok
        ? `${report.id}: ok, ${toolsText(report)}, ${report.protocol_version}, ${report.ms} ms\n`
        : `${report.id}: failed: ${report.error?.replaceAll('\n', '\n  ')}\n`,
    exit: ({ ok }) => (ok ? 0 : 1),
  },
  failures: defaultFailures,
  run: async ({ id: server, scope }, deps: HostDeps, call) => {
    const found =
      scope === 'effective'
        ? await findServer(deps, server)
        : (await deps.config.list(scope)).find((one) => one.id === server);
    if (!found) throw noSuchServer(server, await deps.config.list(scope));
    const begun = deps.clock.now();
    const report = (probe: Probe | undefined, error: string | null) => ({
      id: server,
      ok: probe !== undefined,
      era: probe?.era ?? null,
      protocol_version: probe?.protocolVersion ?? null,
      server_info: probe?.serverInfo ?? null,
      tools: probe?.tools ?? null,
      ...(probe?.toolsLeftOut
        ? { tools_left_out: probe.toolsLeftOut, left_out_reason: probe.leftOutReason ?? '' }
        : {}),
      ms: deps.clock.now() - begun,
      error,
    });
    const switchedOff = found.entry === undefined ? SWITCHED_OFF : undefined;
    const refusal = found.reason ?? switchedOff ?? untrustedReason(found, await deps.trust.list());
    if (refusal !== undefined) return report(undefined, refusal);
    try {
      return report(await deps.probe(found, call.signal), null);
    } catch (thrown) {
      call.signal.throwIfAborted();
      return report(undefined, failureText(thrown));
    }
  },
});

interface ToolCounts {
  readonly tools: number | null;
  readonly tools_left_out?: number | undefined;
  readonly left_out_reason?: string | undefined;
}

/** Both numbers, if the server lists more tools than a gateway offers. */
function toolsText({ tools, tools_left_out: leftOut, left_out_reason: reason }: ToolCounts): string {
  return leftOut ? `${tools} tools (${leftOut} more left out: ${reason})` : `${tools} tools`;
}

const SWITCHED_OFF = 'the project switches this server off; `bindery mcp enable` for it undoes that';

const logsOfServer = defineOperation({
  id: 'host.logs',
  summary: 'Print the last lines that a stdio server of the running gateway wrote to stderr, masked.',
  input: z.strictObject({ id }),
  output: z.object({ id: z.string(), stderr: z.string() }),
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: {
    command: 'mcp logs',
    positional: ['id'],
    manyLines: ['stderr'],
    print: ({ stderr }) => (stderr === '' || stderr.endsWith('\n') ? stderr : `${stderr}\n`),
  },
  failures: defaultFailures,
  run: async ({ id: server }, deps: HostDeps) => {
    const { stderr } = await (await needGateway(deps)).server(server);
    return { id: server, stderr: typeof stderr === 'string' ? stderr : '' };
  },
});

const reconnectServer = defineOperation({
  id: 'host.reconnect',
  summary: 'Reconnect the running gateway to a server, and close its circuit breaker.',
  input: z.strictObject({ id }),
  output: z.object({ id: z.string(), reconnecting: z.literal(true) }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  http: false,
  mcp: false,
  cli: { command: 'mcp reconnect', positional: ['id'], print: (output) => `reconnecting ${output.id}\n` },
  failures: defaultFailures,
  run: async ({ id: server }, deps: HostDeps) => {
    await (await needGateway(deps)).act(server, 'reconnect');
    return { id: server, reconnecting: true as const };
  },
});

export const connectionOperations = [testServer, statusOfServers, logsOfServer, reconnectServer];

async function configStatus(deps: HostDeps): Promise<{ items: StatusItem[]; config_error?: string }> {
  const { servers, errors } = await deps.config.load();
  const trusted = await deps.trust.list();
  const items = servers.map((server) => offlineStatus(server, trusted, NO_GATEWAY));
  return errors.length > 0 ? { items, config_error: errors.join('; ') } : { items };
}

async function gatewayStatus(gateway: RunningGateway): Promise<{ items: StatusItem[]; config_error?: string }> {
  const { items, config_error } = await gateway.servers();
  // The schema omits members that only the gateway's own list shows.
  const known = items.map((item) =>
    StatusItem.parse({ last_error: null, last_connected_at: null, reason: null, ...item }),
  );
  return config_error === undefined ? { items: known } : { items: known, config_error };
}

async function needGateway(deps: HostDeps): Promise<RunningGateway> {
  const gateway = await deps.findGateway();
  if (!gateway) throw new BinderyError('GATEWAY_NOT_RUNNING');
  return gateway;
}

function detailLines({ last_error, last_connected_at }: StatusItem): string {
  return `last_error: ${last_error?.replaceAll('\n', '\n  ') ?? '-'}\nlast_connected_at: ${last_connected_at ?? '-'}\n`;
}
