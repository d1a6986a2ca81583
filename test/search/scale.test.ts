import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { offeredTools } from '../../src/gateway/catalogue/server-offer.ts';
import { countTokens } from '../../src/gateway/search/words/tokens.ts';
import { startTestGateway } from '../../src/proxy/testing/test-gateway.ts';
import { requestModern } from '../support/raw-client.ts';
import { until } from '../support/running-bindery.ts';

/** As many servers as a test asks for behind one listener: `/<n>` is server n. */
let servers: Server;
let origin = '';
/** Calls that reached a server. */
const called: string[] = [];
beforeAll(async () => {
  servers = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const result = answer(Number(request.url?.slice(1)), method, params);
    const message = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...message }));
  });
  servers.listen(0, '127.0.0.1');
  await once(servers, 'listening');
  origin = `http://127.0.0.1:${(servers.address() as AddressInfo).port}`;
});
afterAll(() => {
  servers.close();
  servers.closeAllConnections();
});

/** Each server is about a subject that no other has. */
const subjectOf = (server: number): string =>
  [...String(server).padStart(4, '0')]
    .map((digit) => ['bo', 'ko', 'li', 'mu', 're', 'sa', 'ti', 'vo', 'wu', 'za'][Number(digit)])
    .join('');

function toolsOf(server: number) {
  const subject = subjectOf(server);
  const item = { type: 'string', description: `Which ${subject}.` };
  return ['inspect', 'repair', 'sell'].map((verb) => ({
    name: `${verb}_${subject}`,
    description: `${verb} one ${subject} of the stock and say what was done.`,
    inputSchema: { type: 'object' as const, properties: { item }, required: ['item'] },
  }));
}

function answer(
  server: number,
  method: string,
  params: { protocolVersion?: string; name?: string; arguments?: object },
) {
  switch (method) {
    case 'initialize': {
      const { protocolVersion } = params;
      return { protocolVersion, serverInfo: { name: 's', version: '1' }, capabilities: { tools: {} } };
    }
    case 'tools/list':
      return { tools: toolsOf(server) };
    case 'tools/call':
      called.push(`${params.name} ${JSON.stringify(params.arguments)}`);
      return { content: [{ type: 'text', text: called.at(-1) }] };
    default:
      return undefined;
  }
}

/** A gateway that remembers what so many servers offered; it connects to a server when that is called. */
function start(count: number) {
  const numbers = Array.from({ length: count }, (_, at) => at);
  return startTestGateway({
    servers: numbers.map((at) => ({ id: `a${at}`, transport: 'http', url: `${origin}/${at}` })),
    profiles: [
      { name: 'default', names: 'qualified', search: { exposure: 'search', budgetTokens: 1_000, pinned: [] } },
      {
        name: 'pinned',
        names: 'qualified',
        search: {
          exposure: 'search',
          budgetTokens: 1_000,
          pinned: numbers.map((at) => `a${at}__sell_${subjectOf(at)}`),
        },
      },
    ],
    remembered: numbers.map((at) => ({
      server: `a${at}`,
      era: '2025',
      protocolVersion: '2025-11-25',
      serverInfo: null,
      capabilities: { tools: {} },
      instructions: null,
      tools: offeredTools(toolsOf(at), { pinned: false, inUse: new Map() }),
      resources: [],
      resourceTemplates: [],
      prompts: [],
    })),
  });
}

async function connect(url: string, mode: 'auto' | 'legacy', onChanged?: () => void): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode },
      ...(onChanged ? { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } } } : {}),
    },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

/** Tokens of the listing in the bytes that a client receives. */
async function receivedTokens(url: string): Promise<number> {
  const { result } = await requestModern(url, 'tools/list');
  return countTokens(JSON.stringify((result as { tools: unknown }).tools));
}

interface Found {
  readonly tools: readonly { readonly name: string; readonly input_schema: { readonly required?: string[] } }[];
  readonly budget: { readonly limit: number; readonly used: number };
}

async function find(client: Client, query: string): Promise<Found> {
  const result = await client.callTool({ name: 'find_tools', arguments: { query } });
  const [block] = result.content as { text: string }[];
  expect(JSON.parse(block?.text ?? '')).toEqual(result.structuredContent);
  return result.structuredContent as unknown as Found;
}

describe.each([1, 12, 100, 1_000])('behind %i servers', (count) => {
  let gateway: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    gateway = await start(count);
  });
  afterAll(() => gateway?.close());

  const subject = subjectOf(count - 1);
  const name = `a${count - 1}__repair_${subject}`;
  const repaired = [{ type: 'text', text: `repair_${subject} {"item":"x"}` }];

  test.each(['auto', 'legacy'] as const)(
    '[gateway:F2] [gateway:F6] a client (%s) that ignores list_changed sees at most 1,000 tokens, finds a tool and calls it',
    async (mode) => {
      const client = await connect(gateway.url, mode);
      const { tools } = await client.listTools();
      const found = await find(client, `repair my ${subject}`);
      const result = await client.callTool({ name: 'call_tool', arguments: { name, arguments: { item: 'x' } } });
      expect([tools.map((tool) => tool.name), found.tools[0]?.name, found.tools[0]?.input_schema.required]).toEqual([
        ['find_tools', 'call_tool'],
        name,
        ['item'],
      ]);
      expect(await receivedTokens(gateway.url)).toBeLessThanOrEqual(1_000);
      expect(found.budget.used).toBeLessThanOrEqual(2_000);
      expect([result.content, result.isError]).toEqual([repaired, undefined]);
      await client.close();
    },
  );

  test('[gateway:F5] a client that honours list_changed is told, lists what it found and calls it by its name', async () => {
    let told = 0;
    const client = await connect(gateway.url, 'legacy', () => {
      told += 1;
    });
    const before = (await client.listTools()).tools.length;
    await find(client, `repair my ${subject}`);
    await until('the client was told', () => told > 0);
    const { tools } = await client.listTools();
    const { content } = await client.callTool({ name, arguments: { item: 'x' } });
    expect([before, tools.some((tool) => tool.name === name), content]).toEqual([2, true, repaired]);
    await client.close();
  });

  test('[gateway:F5] [gateway:E3] what matches nothing names the servers, and an unknown name is answered with the nearest', async () => {
    const client = await connect(gateway.url, 'auto');
    const nothing = (await client.callTool({ name: 'find_tools', arguments: { query: 'qqqqqqq' } }))
      .structuredContent as { tools: []; matched: number; servers: string[] };
    const unknown = await client.callTool({
      name: 'call_tool',
      arguments: { name: `a${count - 1}__repare_${subject}`, arguments: {} },
    });
    expect([nothing.tools, nothing.matched, nothing.servers.includes('a0')]).toEqual([[], 0, true]);
    expect([unknown.isError, (unknown.content as { text: string }[])[0]?.text]).toEqual([
      true,
      expect.stringMatching(new RegExp(`^UNKNOWN_TOOL: .*${name}`)),
    ]);
    await client.close();
  });

  test('[gateway:F3] pinned tools are listed as long as all of it costs at most 1,000 tokens', async () => {
    const client = await connect(`${gateway.url}/pinned`, 'auto');
    const { tools } = await client.listTools();
    const pinned = tools.slice(2).map((tool) => tool.name);
    expect(pinned).toEqual(pinned.map((_, at) => `a${at}__sell_${subjectOf(at)}`));
    expect([pinned.length > 0, (await receivedTokens(`${gateway.url}/pinned`)) <= 1_000]).toEqual([true, true]);
    await client.close();
  });

  test('[gateway:F6] arguments that do not fit are answered with what to correct, and the server is not called', async () => {
    const client = await connect(gateway.url, 'auto');
    called.length = 0;
    const refused = await client.callTool({ name: 'call_tool', arguments: { name, arguments: { thing: 'x' } } });
    expect([refused.isError, (refused.content as { text: string }[])[0]?.text, called]).toEqual([
      true,
      expect.stringMatching(/^INVALID_ARGUMENTS: .*\/item: is required/),
      [],
    ]);
    await client.close();
  });
});
