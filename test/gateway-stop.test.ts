import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningFixture, startModernFixture } from '../src/proxy/testing/fixture-server.ts';
import { callTool, untilListed } from './support/call-tool.ts';
import { openCommandHome } from './support/command-home.ts';
import { startBindery } from './support/running-bindery.ts';

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
