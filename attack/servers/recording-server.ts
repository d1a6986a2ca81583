// A stdio server of revision 2025-11-25 that records every line before it parses it: attempts count, not successes.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [record = '', options = '{}'] = process.argv.slice(2);
const { tools = defaultTools(), results = {} } = JSON.parse(options) as {
  tools?: object[];
  results?: Record<string, object>;
};

createInterface({ input: process.stdin }).on('line', (line) => {
  appendFileSync(record, `${line}\n`);
  const { id, method, params } = JSON.parse(line) as { id?: unknown; method?: string; params?: Params };
  if (id === undefined || method === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params ?? {}) })}\n`);
});

interface Params {
  readonly name?: string;
  readonly arguments?: unknown;
  readonly protocolVersion?: string;
}

function answer(method: string, params: Params): object {
  if (method === 'initialize') {
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'recorder', version: '1' },
    };
  }
  if (method === 'tools/list') return { tools };
  if (method !== 'tools/call') return {};
  const given = JSON.stringify(params.arguments ?? {});
  return results[params.name ?? ''] ?? { content: [{ type: 'text', text: given }] };
}

function defaultTools(): object[] {
  return ['echo', 'write'].map((name) => ({
    name,
    description: `${name} a text`,
    inputSchema: { type: 'object' },
  }));
}
