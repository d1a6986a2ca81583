import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { pageInput, pageOf, pageSchema, tabLines } from '../../contract/paging.ts';
import type { GatewayDeps } from './deps.ts';
import { ToolItem } from './items.ts';
import { profileFor } from './profile-for.ts';

const listTools = defineOperation({
  id: 'gateway.tools',
  summary: 'List the tools of all servers, denied ones included, with their cost in tokens.',
  input: z.strictObject({
    server: z.string().optional().describe('only tools of this server'),
    q: z.string().optional().describe('text that name or description holds'),
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
      tabLines(items.map((item) => [item.name, item.server, item.tokens, item.decision.decision, item.status])),
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
  original_name: z.string(),
  user: z.string().nullable(),
  definition_sha256: z.string(),
  accepted_sha256: z.string(),
  diff: z.string(),
});

const listChanges = defineOperation({
  id: 'gateway.tool_changes',
  summary: 'Show tools whose definition changed since a person accepted it, with the difference.',
  input: z.strictObject({ ...pageInput }),
  output: pageSchema(ChangedTool),
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: {
    command: 'tools changes',
    print: ({ items }) =>
      items
        .map(
          (item) =>
            `${tabLines([[item.name, item.server, item.original_name, item.definition_sha256, item.user]])}${item.diff}`,
        )
        .join('\n'),
  },
  failures: defaultFailures,
  run: (page, deps: GatewayDeps) =>
    pageOf(
      deps.tools.changes().map((item) => ({ ...item })),
      changeKey,
      page,
    ),
});

/** One name may have changed for several users. */
export function changeKey({ name, user }: { readonly name: string; readonly user: string | null }): string {
  return user === null ? name : `${name}\n${user}`;
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
  run: ({ name, definition_sha256 }, deps: GatewayDeps) =>
    acceptDefinition(deps, (item) => item.name === name, definition_sha256),
});

const acceptToolCommand = defineOperation({
  id: 'gateway.accept_tool_of_server',
  summary: 'Accept the changed definition of a tool.',
  input: z.strictObject({
    server: z.string().describe('id of the server'),
    tool: z.string().describe('name of the tool on its server'),
    sha256: z.string().optional().describe('the definition that was looked at; default: the present one'),
  }),
  output: ToolItem,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'tools accept',
    positional: ['server', 'tool'],
    print: (item) => `accepted ${item.name} ${item.definition_sha256}\n`,
  },
  failures: defaultFailures,
  run: ({ server, tool, sha256 }, deps: GatewayDeps) =>
    acceptDefinition(deps, (item) => item.server === server && item.original_name === tool, sha256),
});

export const toolOperations = [listTools, listChanges, acceptTool, acceptToolCommand];

async function acceptDefinition(
  deps: GatewayDeps,
  matches: (item: z.output<typeof ToolItem>) => boolean,
  sha256: string | undefined,
): Promise<z.output<typeof ToolItem>> {
  // Of what single users are offered, the one that was looked at, or that waits for a person's word.
  const isMeant = (item: z.output<typeof ToolItem>) =>
    matches(item) && (sha256 === undefined ? item.status === 'changed' : item.definition_sha256 === sha256);
  const find = async () => (await deps.tools.list()).find(matches) ?? deps.tools.ofUsers().find(isMeant);
  const item = await find();
  if (!item) throw new BinderyError('UNKNOWN_TOOL');
  if (!(await deps.tools.accept(item.server, item.original_name, sha256 ?? item.definition_sha256))) {
    throw new BinderyError('DEFINITION_CHANGED', {
      detail: 'it changed again',
      members: { definition_sha256: item.definition_sha256 },
    });
  }
  return (await find()) ?? item;
}
