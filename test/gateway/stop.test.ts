import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { readAudit } from '../../src/store/audit/audit-reader.ts';
import { callTool, untilListed } from '../support/call-tool.ts';
import { openCommandHome } from '../support/command-home.ts';
import { startBindery, until } from '../support/running-bindery.ts';

let fixture: RunningFixture;
beforeAll(async () => {
  fixture = await startModernFixture();
});
afterAll(() => fixture.close());

test.each([
  ['SIGTERM', 0],
  ['SIGINT', 130],
] as const)(
  '%s lets a running call end, and the exit code is %i, also after libraries listen to it too [gateway:G6] [gateway:G4]',
  async (signal, code) => {
    const home = openCommandHome();
    const server = { transport: 'http', url: fixture.url };
    home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers: { s: server, other: server } } }));
    const bindery = await startBindery(home);
    await untilListed(bindery.url, 's__echo', { text: 'x' });
    // Writing a file brings the library that cleans up after locks when a signal comes.
    const changed = await bindery.api('PATCH', '/v1/servers/other', { enabled: false });
    const running = callTool(bindery.url, 's__slow', { steps: 5, pauseMs: 200 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const stopped = await bindery.stop(signal);
    const { result } = await running;
    expect([changed.status, stopped, result.isError ?? false]).toEqual([200, code, false]);
  },
);

test('a call that waits for a person is told to come again, and recorded, when the gateway stops [gateway:U1] [gateway:V8]', async () => {
  const home = openCommandHome();
  const servers = { s: { transport: 'http', url: fixture.url } };
  home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers } }));
  home.write(
    'project_mcp.json',
    JSON.stringify({ allowlist: { servers: ['s'], operations: { echo: { approval_required: true } } } }),
  );
  const bindery = await startBindery(home);
  await untilListed(bindery.url, 's__fail', {});
  const waiting = callTool(bindery.url, 's__echo', { text: 'x' });
  await until('a person is asked', async () => {
    const { body } = await bindery.api('GET', '/v1/approvals?status=pending');
    return (body as { items: unknown[] }).items.length === 1;
  });
  expect(await bindery.stop()).toBe(0);
  expect(JSON.stringify(await waiting)).toContain('APPROVAL_PENDING');
  const records = readAudit(home.dataDir, (reader) => [...reader.exportLines()].map((line) => JSON.parse(line)));
  expect(records.at(-1)).toMatchObject({
    phase: 'single',
    tool: 'echo',
    outcome: 'denied',
    approval_id: expect.stringMatching(/^apr_/),
  });
});
