import { expect, test } from 'vitest';
import { openSession } from '../../../test/support/raw-client.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

test('a session that opens too many streams loses the oldest, and keeps the newest', async () => {
  const gateway = await startTestGateway({ servers: [] });
  try {
    const { id } = await openSession(gateway.url);
    const headers = { accept: 'text/event-stream', 'mcp-session-id': id };
    const open = async () => (await fetch(gateway.url, { headers })).body?.getReader();
    const first = await open();
    const later = [];
    for (let opened = 0; opened < PROXY_LIMITS.streamsPerSessionMax; opened += 1) later.push(await open());
    expect((await first?.read())?.done).toBe(true);
    const [second] = later;
    expect(await Promise.race([second?.read(), new Promise((resolve) => setTimeout(resolve, 50, 'open'))])).toBe(
      'open',
    );
    for (const reader of later) await reader?.cancel();
  } finally {
    await gateway.close();
  }
});
