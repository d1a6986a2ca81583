import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { createHome, startBindery, until, untilKnown } from '../support/running-bindery.ts';

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

test('tools that a server shows only to clients that can be asked are shown to those, at once and after a restart', async () => {
  const home = await createHome({
    mcp: { servers: { everything: { transport: 'stdio', command: process.execPath, args: [everything, 'stdio'] } } },
    gateway: { exposure: 'all' },
  });
  let bindery = await startBindery(home);
  try {
    await untilKnown(bindery, 'everything');
    const asked = await connect(bindery.mcpUrl, { elicitation: { form: {} } });
    const answered = asked.callTool({ name: 'everything__trigger-elicitation-request', arguments: {} });
    expect(JSON.stringify((await answered).content)).toContain('declined');
    const plain = await connect(bindery.mcpUrl, {});
    expect([await triggers(asked), await triggers(plain)]).toEqual([['everything__trigger-elicitation-request'], []]);
    await expect(plain.callTool({ name: 'everything__trigger-elicitation-request', arguments: {} })).rejects.toThrow(
      'Unknown tool',
    );
    await bindery.stop();
    bindery = await startBindery(home);
    const again = await connect(bindery.mcpUrl, { elicitation: { form: {} }, sampling: {} });
    await until('the tools are listed', async () => (await triggers(again)).length > 0);
    expect(await triggers(again)).toEqual([
      'everything__trigger-elicitation-request',
      'everything__trigger-sampling-request',
    ]);
    await Promise.all([asked, plain, again].map((client) => client.close()));
  } finally {
    await bindery.stop();
    await home.remove();
  }
});

test('a search and a call_tool of a client that can be asked know its tools from the first on, those of another client do not', async () => {
  const home = await createHome({
    mcp: { servers: { everything: { transport: 'stdio', command: process.execPath, args: [everything, 'stdio'] } } },
    gateway: { exposure: 'search' },
  });
  const bindery = await startBindery(home);
  try {
    await untilKnown(bindery, 'everything');
    const [asked, plain] = await Promise.all([
      connect(bindery.mcpUrl, { elicitation: { form: {} } }),
      connect(bindery.mcpUrl, {}),
    ]);
    const called = asked.callTool({
      name: 'call_tool',
      arguments: { name: 'everything__trigger-elicitation-request' },
    });
    const found = [await foundBy(asked), await foundBy(plain)];
    expect(JSON.stringify((await called).content)).toContain('declined');
    expect(found.map((names) => names.includes('everything__trigger-elicitation-request'))).toEqual([true, false]);
    await Promise.all([asked, plain].map((client) => client.close()));
  } finally {
    await bindery.stop();
    await home.remove();
  }
});

/** What the first search finds that does not say that tools of a server are not known yet. */
async function foundBy(client: Client): Promise<string[]> {
  let names: string[] = [];
  await until('every server is known', async () => {
    const query = { name: 'find_tools', arguments: { query: 'trigger elicitation request' } };
    const { tools, missing } = (await client.callTool(query)).structuredContent as unknown as {
      tools: { name: string }[];
      missing: string[];
    };
    names = tools.map(({ name }) => name);
    return missing.length === 0;
  });
  return names;
}

async function connect(url: string, capabilities: object): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  if ('elicitation' in capabilities)
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' as const }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function triggers(client: Client): Promise<string[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name }) => name).filter((name) => /trigger-(elicitation|sampling)-request$/.test(name));
}
