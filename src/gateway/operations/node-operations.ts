import { z } from 'zod';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { tabLines } from '../../contract/paging.ts';
import type { GatewayDeps } from './deps.ts';
import { NodeItem } from './items.ts';

const listNodes = defineOperation({
  id: 'gateway.nodes',
  summary: 'List the nodes that share this gateway, and whether each is running.',
  input: z.strictObject({}),
  output: z.object({ items: z.array(NodeItem), total: z.int() }),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/nodes' },
  mcp: false,
  cli: {
    command: 'nodes',
    print: ({ items }) =>
      tabLines([
        ['NODE', 'STATE', 'SEEN', 'ADDRESS'],
        ...items.map(({ name, present, seen_at, url }) => [name, present ? 'there' : 'gone', seen_at, url ?? '-']),
      ]),
  },
  failures: defaultFailures,
  run: async (_input, deps: GatewayDeps) => {
    const items = [...(await deps.nodes())];
    return { items, total: items.length };
  },
});

export const nodeOperations = [listNodes];
