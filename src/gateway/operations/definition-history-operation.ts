import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import type { JsonObject } from '../../contract/json.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { tabLines } from '../../contract/paging.ts';
import { publicToolName } from '../../contract/tool-names.ts';
import { stillVisibleLine } from '../../contract/visible-text.ts';
import { sha256Hex } from '../audit/chain.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import type { GatewayDeps } from './deps.ts';
import { ToolItem } from './items.ts';

const nullableText = z.string().nullable();

const DefinitionMoment = z.object({
  time: z.string(),
  tool: z.string().describe('name of the tool on its server; empty: what the server offers beside tools'),
  user: nullableText.describe('who alone is offered it; null: everybody'),
  status: ToolItem.shape.status.describe('what became of it when it was seen; active: it was used at once'),
  definition_sha256: z.string(),
  before_sha256: nullableText.describe('null: none was in use before'),
  diff: z.string(),
  accepted_at: nullableText,
  accepted_by: nullableText.describe('null: nobody accepted it, or the record of that is gone'),
});
type DefinitionMoment = z.output<typeof DefinitionMoment>;

/** A person's acceptance: of these definitions, or of all that were held. */
interface Acceptance {
  readonly time: string;
  readonly by: string;
  covers(moment: DefinitionMoment, isLast: boolean): boolean;
}

export const definitionHistory = defineOperation({
  id: 'gateway.definition_history',
  summary: 'Show how the definitions of a server changed, newest first: what, when, and who accepted it.',
  description: 'It is read from the audit log, and goes back as far as that does. A long difference is cut there.',
  input: z.strictObject({
    id: z.string().describe('id of the server'),
    limit: z.number().int().min(1).max(GATEWAY_LIMITS.definitionMomentsMax).default(50).describe('changes at most'),
  }),
  output: z.object({ server: z.string(), items: z.array(DefinitionMoment), truncated: z.boolean() }),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/servers/{id}/definition-history', showsCallers: true },
  mcp: false,
  cli: {
    command: 'tools history',
    positional: ['id'],
    manyLines: ['diff'],
    visibleBefore: ['diff'],
    print: ({ server, items }) =>
      items.length === 0
        ? `no change of ${stillVisibleLine(server)} is recorded\n`
        : items.map((item) => `${tabLines([rowOf(item)])}${item.diff}`).join('\n'),
  },
  failures: defaultFailures,
  run: async ({ id, limit }, deps: GatewayDeps) => {
    const found = await deps.audit.search({ kind: 'system', server: id, q: '"action":"definition_' }, limit + 1, 0);
    if (found.length === 0) await requireServer(deps, id);
    const accepted = found.length === 0 ? [] : await acceptances(deps, id);
    const items = found.slice(0, limit).map(momentOf);
    return { server: id, items: withAcceptances(items, accepted), truncated: found.length > limit };
  },
});

function rowOf({ time, tool, status, definition_sha256, user, accepted_at, accepted_by }: DefinitionMoment) {
  const accepted = accepted_by === null ? 'not accepted' : `accepted by ${accepted_by} ${accepted_at}`;
  return [time, tool, status, definition_sha256, user, accepted];
}

/** A server without changes has an empty history; an unknown server is probably misspelt. */
async function requireServer({ servers, tools }: GatewayDeps, id: string): Promise<void> {
  if (servers.find(id) || (await tools.list()).some(({ server }) => server === id)) return;
  throw new BinderyError('SERVER_NOT_FOUND', { detail: id, members: { id } });
}

function momentOf(record: JsonObject): DefinitionMoment {
  const seen = (record.arguments ?? {}) as JsonObject;
  return {
    time: String(record.time),
    tool: textOf(record.tool) ?? '',
    user: textOf(seen.user) ?? null,
    status: ToolItem.shape.status.catch('active').parse(seen.status),
    definition_sha256: textOf(seen.definition_sha256) ?? '',
    before_sha256: textOf(seen.accepted_sha256) ?? null,
    diff: textOf(seen.diff) ?? '',
    accepted_at: null,
    accepted_by: null,
  };
}

/** Adds to each change the first later acceptance that covers it. */
function withAcceptances(moments: readonly DefinitionMoment[], accepted: readonly Acceptance[]): DefinitionMoment[] {
  return moments.map((moment, index) => {
    const newer = moments.slice(0, index).filter(({ tool, user }) => tool === moment.tool && user === moment.user);
    const first = accepted.find(
      (one) =>
        one.time >= moment.time &&
        one.covers(
          moment,
          newer.every(({ time }) => time > one.time),
        ),
    );
    return first ? { ...moment, accepted_at: first.time, accepted_by: first.by } : moment;
  });
}

/** The acceptances of a server's definitions, oldest first. */
async function acceptances({ audit }: GatewayDeps, server: string): Promise<Acceptance[]> {
  const query = { kind: 'admin', outcome: 'ok', q: '"action":"gateway.accept_' };
  const records = await audit.search(query, GATEWAY_LIMITS.acceptancesReadMax, 0);
  return records.flatMap((record) => acceptanceOf(record, server) ?? []).reverse();
}

/** Reads an acceptance from an audit record. Depending on the operation, it names digests, one digest, or only the server. */
function acceptanceOf(record: JsonObject, server: string): Acceptance | undefined {
  const given = (record.arguments ?? {}) as JsonObject;
  const [time, by] = [String(record.time), textOf(record.caller) ?? 'admin'];
  if (record.action === 'gateway.accept_tool')
    return {
      time,
      by,
      covers: ({ tool, definition_sha256 }) =>
        definition_sha256 === given.definition_sha256 &&
        publicToolName(server, tool, 'qualified', sha256Hex) === given.name,
    };
  if (record.action === 'gateway.accept_server' && given.id === server) {
    const definitions = (Array.isArray(given.definitions) ? given.definitions : []) as readonly JsonObject[];
    const keys = new Set(definitions.map(({ tool, sha256 }) => `${sha256} ${tool}`));
    return { time, by, covers: ({ tool, definition_sha256 }) => keys.has(`${definition_sha256} ${tool}`) };
  }
  if (given.server !== server) return undefined;
  // A digest without a tool is that of the whole list.
  const isNamed = given.tool !== undefined && given.sha256 !== undefined;
  return {
    time,
    by,
    covers: ({ tool, definition_sha256 }, isLast) =>
      (given.tool === undefined || given.tool === tool) && (isNamed ? given.sha256 === definition_sha256 : isLast),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
