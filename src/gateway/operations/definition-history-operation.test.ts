import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import { definitionHistory } from './definition-history-operation.ts';
import type { AuditQuery, GatewayDeps } from './deps.ts';

const TOOLS = ['read', 'write', ''] as const;
const timeOf = (at: number) => new Date(at * 1_000).toISOString();

/** A log that holds these records, oldest first, and searches them as the real one does. */
function logOf(records: readonly JsonObject[]): GatewayDeps {
  const search = ({ kind, server, q = '', outcome }: AuditQuery, limit: number) =>
    records
      .toReversed()
      .filter(
        (record) =>
          record.kind === kind &&
          (server === undefined || record.server === server) &&
          (outcome === undefined || record.outcome === outcome) &&
          JSON.stringify(record).includes(q),
      )
      .slice(0, limit);
  return {
    audit: { search },
    servers: { find: (id: string) => (id === 'files' ? {} : undefined) },
    tools: { list: () => [] },
  } as unknown as GatewayDeps;
}

const historyOf = (deps: GatewayDeps, limit = 50, id = 'files') =>
  Promise.resolve(definitionHistory.run({ id, limit }, deps, undefined as never));

const changed = (at: number, tool: string, sha256: string): JsonObject => ({
  kind: 'system',
  action: 'definition_changed',
  time: timeOf(at),
  server: 'files',
  ...(tool === '' ? {} : { tool }),
  arguments: { accepted_sha256: 'before', definition_sha256: sha256, status: 'changed', diff: `+${sha256}` },
});
const accepted = (at: number, action: string, input: JsonObject, outcome = 'ok'): JsonObject => ({
  kind: 'admin',
  action,
  time: timeOf(at),
  caller: `person-${at}`,
  outcome,
  arguments: input,
});

test('each change has its status, and the first acceptance of that very definition', async () => {
  const definitions = [{ tool: 'read', sha256: 'aa' }];
  const deps = logOf([
    changed(1, 'read', 'aa'),
    accepted(2, 'gateway.accept_server', { id: 'other', definitions }),
    accepted(3, 'gateway.accept_server', { id: 'files', definitions }, 'denied'),
    accepted(4, 'gateway.accept_server', { id: 'files', definitions }),
    accepted(5, 'gateway.accept_tool', { name: 'other__write', definition_sha256: 'bb' }),
    changed(6, 'write', 'bb'),
    accepted(7, 'gateway.accept_tool', { name: 'files__write', definition_sha256: 'bb' }),
    changed(8, 'read', 'cc'),
  ]);
  const { items, truncated } = await historyOf(deps);
  expect(items.map(({ tool, definition_sha256, accepted_by }) => [tool, definition_sha256, accepted_by])).toEqual([
    ['read', 'cc', null],
    ['write', 'bb', 'person-7'],
    ['read', 'aa', 'person-4'],
  ]);
  expect([items[2]?.diff, items[2]?.before_sha256, truncated]).toEqual(['+aa', 'before', false]);
  expect(await historyOf(deps, 2)).toMatchObject({ items: [{ tool: 'read' }, { tool: 'write' }], truncated: true });
});

test('a server without changes has an empty history, and an unknown one is an error', async () => {
  expect(await historyOf(logOf([]))).toEqual({ server: 'files', items: [], truncated: false });
  await expect(historyOf(logOf([]), 50, 'filez')).rejects.toMatchObject({ code: 'SERVER_NOT_FOUND' });
});

const event = fc.oneof(
  fc.record({ do: fc.constant('change' as const), tool: fc.constantFrom(...TOOLS) }),
  fc.record({ do: fc.constant('accept' as const), tool: fc.constantFrom(...TOOLS, undefined), byDigest: fc.boolean() }),
);

test('for any order of changes and acceptances, the history equals that of an observer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      const records: JsonObject[] = [];
      const watched: { tool: string; by: string | null }[] = [];
      const current = new Map<string, { readonly sha256: string; readonly seen: (typeof watched)[number] }>();
      events.forEach((one, at) => {
        if (one.do === 'change') {
          const seen = { tool: one.tool, by: null };
          watched.unshift(seen);
          current.set(one.tool, { sha256: `sha-${at}`, seen });
          records.push(changed(at, one.tool, `sha-${at}`));
          return;
        }
        const meant = [...current].filter(([tool]) => one.tool === undefined || tool === one.tool);
        for (const [, { seen }] of meant) seen.by ??= `person-${at}`;
        const definitions = meant.map(([tool, { sha256 }]) => ({ tool, sha256 }));
        records.push(
          one.byDigest
            ? accepted(at, 'gateway.accept_server', { id: 'files', definitions })
            : accepted(at, 'gateway.accept_tool_of_server', {
                server: 'files',
                ...(one.tool === undefined ? {} : { tool: one.tool }),
              }),
        );
      });
      const { items } = await historyOf(logOf(records), 500);
      expect(items.map(({ tool, accepted_by }) => ({ tool, by: accepted_by }))).toEqual(watched);
    }),
  );
});
