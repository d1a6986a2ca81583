import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { pageInput, pageOf, pageSchema, tabLines } from '../../contract/paging.ts';
import { publicToolName } from '../../contract/tool-names.ts';
import { stillVisibleLine } from '../../contract/visible-text.ts';
import { sha256Hex } from '../audit/chain.ts';
import { EXTRAS, type SeenDefinition } from '../catalogue/server-offer.ts';
import { definitionHistory } from './definition-history-operation.ts';
import { changeKey, type GatewayDeps } from './deps.ts';
import { ToolItem } from './items.ts';
import { profileFor } from './profile-for.ts';

const listTools = defineOperation({
  id: 'gateway.tools',
  summary: 'List the tools of all servers, denied ones included, with their cost in tokens.',
  input: z.strictObject({
    server: z.string().optional().describe('only tools of this server'),
    q: z.string().optional().describe('text to find in the name or description'),
    profile: z
      .string()
      .optional()
      .describe('only tools of this profile; default: all, or the first profile that the credential is bound to'),
    ...pageInput,
  }),
  output: pageSchema(ToolItem),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/tools', perProfile: true },
  mcp: false,
  cli: {
    command: 'tools list',
    print: ({ items }) =>
      items.length === 0
        ? 'no tool matches; `bindery mcp status` shows the state of each server\n'
        : tabLines(items.map((item) => [item.name, item.server, item.tokens, item.decision.decision, item.status])),
  },
  failures: defaultFailures,
  run: async ({ server, q, profile, ...page }, deps: GatewayDeps, call) => {
    const wanted = q?.toLowerCase();
    const tools = await deps.tools.list(profileFor(call, profile));
    const items = tools
      .filter((item) => server === undefined || item.server === server)
      .filter(
        (item) => wanted === undefined || `${item.name} ${item.description ?? ''}`.toLowerCase().includes(wanted),
      );
    return pageOf(items, (item) => item.name, page);
  },
});

const ChangedTool = z.object({
  name: z.string(),
  server: z.string(),
  original_name: z.string().describe('empty: what the server offers beside tools'),
  user: z.string().nullable(),
  status: ToolItem.shape.status,
  flags: z.array(z.string()),
  definition_sha256: z.string(),
  accepted_sha256: z.string().nullable(),
  diff: z.string(),
});

const listChanges = defineOperation({
  id: 'gateway.tool_changes',
  summary: 'Show definitions that changed or wait for acceptance, with the difference.',
  input: z.strictObject({ server: z.string().optional().describe('only definitions of this server'), ...pageInput }),
  output: pageSchema(ChangedTool),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/tools/changes' },
  mcp: false,
  cli: {
    command: 'tools changes',
    manyLines: ['diff'],
    visibleBefore: ['diff'],
    print: ({ items, next_cursor }) => {
      if (items.length === 0) return 'no definition has changed, and none waits to be accepted\n';
      return items
        .map((item) => {
          const { name, server, original_name, definition_sha256, user, status, flags } = item;
          const row = [name, server, original_name, definition_sha256, user, status, flags.join(',')];
          return `${tabLines([row.map((text) => (text === null ? null : stillVisibleLine(text)))])}${item.diff}`;
        })
        .concat(next_cursor === null ? acceptLines(items) : [])
        .join('\n');
    },
  },
  failures: defaultFailures,
  run: ({ server, ...page }, deps: GatewayDeps) => {
    const changes = deps.tools.changes().filter((item) => server === undefined || item.server === server);
    const found = pageOf(changes, changeKey, page);
    return { ...found, items: found.items.map((item) => ({ ...item, flags: [...item.flags] })) };
  },
});

/** For each server of a list: the command that accepts exactly the shown definitions. */
function acceptLines(items: readonly z.output<typeof ChangedTool>[]): string[] {
  const servers = [...new Set(items.filter(isWaiting).map(({ server }) => server))];
  return servers.map((server) => {
    const waiting = items.filter((item) => item.server === server && isWaiting(item));
    return `accept all of ${stillVisibleLine(server)} as shown: bindery tools accept ${stillVisibleLine(server)} --sha256 ${listDigest(waiting)}\n`;
  });
}

function isWaiting({ status }: { readonly status: string }): boolean {
  return status !== 'active';
}

/** One digest over several definitions. */
function listDigest(waiting: readonly { original_name: string; definition_sha256: string }[]): string {
  const lines = waiting.map((item) => `${item.definition_sha256} ${item.original_name}\n`);
  return sha256Hex(lines.sort().join(''));
}

const acceptTool = defineOperation({
  id: 'gateway.accept_tool',
  summary: 'Accept the changed definition of a tool.',
  input: z.strictObject({
    name: z.string().describe('public name'),
    definition_sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('the definition that was looked at'),
  }),
  output: ToolItem,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: { method: 'POST', path: '/v1/tools/{name}/accept' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async ({ name, definition_sha256: sha256 }, deps: GatewayDeps) => {
    const isSeen = (item: z.output<typeof ToolItem>) => item.name === name && item.definition_sha256 === sha256;
    const find = async () =>
      (await deps.tools.list()).find((item) => item.name === name) ?? deps.tools.ofUsers().find(isSeen);
    const item = await find();
    if (!item) throw new BinderyError('UNKNOWN_TOOL');
    if (!(await deps.tools.accept(item.server, [{ tool: item.original_name, sha256 }])))
      throw changedAgain({ definition_sha256: item.definition_sha256 });
    return (await find()) ?? item;
  },
});

const Accepted = z.object({
  server: z.string(),
  accepted: z.array(z.object({ name: z.string(), tool: z.string(), sha256: z.string() })),
});

const acceptServer = defineOperation({
  id: 'gateway.accept_server',
  summary: 'Accept definitions of a server that a person has looked at: all of them, or none if one has changed since.',
  input: z.strictObject({
    id: z.string().describe('id of the server'),
    definitions: z
      .array(
        z.strictObject({
          tool: z.string().describe('name of the tool on its server; empty: what the server offers beside tools'),
          sha256: z.string().regex(/^[0-9a-f]{64}$/),
        }),
      )
      .min(1)
      .describe('what was looked at, as /v1/tools/changes shows it'),
  }),
  output: Accepted,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: { method: 'POST', path: '/v1/servers/{id}/accept' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: ({ id, definitions }, deps: GatewayDeps) => acceptSeen(deps, id, definitions),
});

const acceptCommand = defineOperation({
  id: 'gateway.accept_tool_of_server',
  summary: 'Accept the definition of a tool, or all waiting definitions of a server.',
  input: z.strictObject({
    server: z.string().describe('id of the server'),
    tool: z.string().optional().describe('name of the tool on its server; default: all that waits'),
    sha256: z
      .string()
      .optional()
      .describe(
        'digest of the reviewed definition, or the one that `tools changes` prints for all of a server; default: the current ones',
      ),
  }),
  output: z.union([ToolItem, Accepted]),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'tools accept',
    positional: ['server', 'tool'],
    print: (output) => {
      if (!('accepted' in output)) return `accepted ${output.name} ${output.definition_sha256}\n`;
      const { server, accepted } = output;
      if (accepted.length === 0) return `nothing of ${server} waits to be accepted\n`;
      return accepted.map(({ name, sha256 }) => `accepted ${name} ${sha256}\n`).join('');
    },
  },
  failures: defaultFailures,
  run: async ({ server, tool, sha256 }, deps: GatewayDeps) => {
    const changes = deps.tools.changes().filter((item) => item.server === server);
    if (tool === undefined) {
      const waiting = changes.filter(isWaiting);
      const present = listDigest(waiting);
      if (sha256 !== undefined && sha256 !== present) throw changedAgain({ definition_sha256: present });
      const isKnown = waiting.length > 0 || (await deps.tools.list()).some((item) => item.server === server);
      if (!isKnown) throw new BinderyError('SERVER_NOT_FOUND', { detail: server, members: { id: server } });
      return acceptSeen(
        deps,
        server,
        waiting.map((item) => ({ tool: item.original_name, sha256: item.definition_sha256 })),
      );
    }
    const waiting = changes.find((item) => item.original_name === tool);
    const isMeant = (item: z.output<typeof ToolItem>) => item.server === server && item.original_name === tool;
    const wanted = sha256 ?? waiting?.definition_sha256;
    // Among tools of single users, find the reviewed definition or the one that waits for acceptance.
    const find = async () =>
      (await deps.tools.list()).find(isMeant) ??
      deps.tools.ofUsers().find((item) => isMeant(item) && item.definition_sha256 === wanted);
    const item = await find();
    if (!item) throw new BinderyError('UNKNOWN_TOOL');
    await acceptSeen(deps, server, [{ tool, sha256: wanted ?? item.definition_sha256 }]);
    return (await find()) ?? item;
  },
});

const rejectCommand = defineOperation({
  id: 'gateway.reject_server',
  summary: 'Reject a server whose definitions wait for acceptance, and disable it.',
  input: z.strictObject({ server: z.string().describe('id of the server') }),
  output: z.object({ server: z.string(), rejected: z.literal(true) }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'tools reject',
    positional: ['server'],
    print: ({ server }) => `rejected ${server}: it is disabled\n`,
  },
  failures: defaultFailures,
  run: async ({ server }, deps: GatewayDeps) => {
    await deps.servers.setEnabled(server, false);
    return { server, rejected: true as const };
  },
});

export const toolOperations = [
  listTools,
  listChanges,
  definitionHistory,
  acceptTool,
  acceptServer,
  acceptCommand,
  rejectCommand,
];

async function acceptSeen(
  deps: GatewayDeps,
  server: string,
  seen: readonly SeenDefinition[],
): Promise<z.output<typeof Accepted>> {
  const accepted = [...new Map(seen.map((one) => [JSON.stringify(one), one])).values()];
  if (accepted.length > 0 && !(await deps.tools.accept(server, accepted))) throw changedAgain({});
  const nameOf = (tool: string) => (tool === EXTRAS ? server : publicToolName(server, tool, 'qualified', sha256Hex));
  return { server, accepted: accepted.map(({ tool, sha256 }) => ({ name: nameOf(tool), tool, sha256 })) };
}

function changedAgain(members: Readonly<Record<string, unknown>>): BinderyError {
  return new BinderyError('DEFINITION_CHANGED', { detail: 'it changed again', members });
}
