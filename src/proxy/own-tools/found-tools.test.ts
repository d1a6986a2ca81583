import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { startModernFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

test('found tools join the list of a 2025 session, which is notified; the list of a 2026 client stays unchanged [gateway:A19]', async () => {
  const fixture = await startModernFixture();
  const gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    profiles: [
      { name: 'default', names: 'qualified', search: { exposure: 'search', budgetTokens: 1_000, pinned: [] } },
    ],
  });
  try {
    const seen = async (mode: 'legacy' | 'auto') => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const changed = new Promise<boolean>((resolve) => {
        client.setNotificationHandler('notifications/tools/list_changed', () => resolve(true));
      });
      await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
      const names = async () => (await client.listTools()).tools.map(({ name }) => name);
      const before = await names();
      await client.callTool({ name: 'find_tools', arguments: { query: 'gives the text back', limit: 1 } });
      const told = mode === 'legacy' ? await changed : false;
      const after = await names();
      await client.close();
      return { before, told, after };
    };
    const own = ['find_tools', 'call_tool'];
    expect([await seen('legacy'), await seen('auto')]).toEqual([
      { before: own, told: true, after: [...own, 's__echo'] },
      { before: own, told: false, after: own },
    ]);
  } finally {
    await gateway.close();
    await fixture.close();
  }
});
