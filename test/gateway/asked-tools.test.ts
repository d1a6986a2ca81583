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
