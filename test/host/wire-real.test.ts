import { spawn } from 'node:child_process';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { http, textOf, until, World } from '../fixtures/connect.ts';
import { freePort } from '../support/free-port.ts';

const world = new World();
afterAll(() => world.close());

const packageFolder = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
const program = (name: string) => join(packageFolder(`@modelcontextprotocol/${name}`), 'dist/index.js');
const call = (name: string, args: object) => ({ method: 'tools/call', params: { name, arguments: args } });

/** The reference server as a process that listens at a free port. */
async function everything(mode: 'streamableHttp' | 'sse'): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [program('server-everything'), mode], {
    env: { PORT: String(port) },
    stdio: 'ignore',
  });
  world.keep({ close: async () => child.kill() });
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  await until(isUp);
  return `http://127.0.0.1:${port}/${mode === 'sse' ? 'sse' : 'mcp'}`;
}

test('[wire:REAL] reference servers are spoken to over stdio, all at once', async () => {
  const host = world.host();
  const server = (id: string, ...args: string[]) => ({
    id,
    transport: 'stdio' as const,
    command: process.execPath,
    args: [program(`server-${id}`), ...args],
    cwd: process.cwd(),
  });
  host.apply([server('everything', 'stdio'), server('filesystem', process.cwd()), server('memory')]);
  await host.settled();
  expect(host.status().map(({ id, state, era }) => [id, state, era])).toEqual([
    ['everything', 'ready', '2025'],
    ['filesystem', 'ready', '2025'],
    ['memory', 'ready', '2025'],
  ]);
  expect(textOf(await host.request('everything', call('get-sum', { a: 2, b: 3 })))).toContain('5');
  expect(
    textOf(await host.request('filesystem', call('read_text_file', { path: join(process.cwd(), 'package.json') }))),
  ).toContain('mcp-bindery');
  expect(host.catalogueOf('everything').prompts.length).toBeGreaterThan(0);
  expect(host.catalogueOf('everything').resourceTemplates.length).toBeGreaterThan(0);
});

test.each([
  ['streamableHttp', 'http'],
  ['sse', 'sse'],
] as const)('[wire:REAL] the reference server is spoken to over %s', async (mode, transport) => {
  const host = world.host({
    client: {
      info: { name: 'bindery-test', version: '0.0.1' },
      callbacks: {
        elicitation: { form: async () => ({ action: 'decline' }) },
        roots: async () => ({ roots: [{ uri: 'file:///x', name: 'x' }] }),
      },
    },
  });
  host.apply([http(await everything(mode))]);
  await host.settled();
  expect(host.statusOf('http')).toMatchObject({ state: 'ready', transport, era: '2025' });
  const progress: number[] = [];
  const long = call('trigger-long-running-operation', { duration: 1, steps: 4 });
  const result = await host.request('http', long, { onProgress: (one) => progress.push(one.progress) });
  expect([textOf(result), progress]).toEqual([
    'Long running operation completed. Duration: 1 seconds, Steps: 4.',
    [1, 2, 3, 4],
  ]);
  expect(textOf(await host.request('http', call('trigger-elicitation-request', {})))).toContain('declined');
});

test('[wire:REAL] a server of the SDK is spoken to in the revision of 2026, subscriptions included', async () => {
  let description = 'first';
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'sdk', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
    server.registerTool('greet', { description, inputSchema: z.object({ name: z.string() }) }, async ({ name }) => ({
      content: [{ type: 'text', text: `hello ${name}` }],
    }));
    return server;
  });
  const node = createAdaptorServer({ fetch: (request) => handler.fetch(request) }) as Server;
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  world.keep({ close: async () => node.closeAllConnections() });
  const host = world.host();
  host.apply([http(`http://127.0.0.1:${(node.address() as AddressInfo).port}/mcp`)]);
  await host.settled();
  expect(host.statusOf('http')).toMatchObject({ state: 'ready', era: '2026', serverInfo: { name: 'sdk' } });
  expect(textOf(await host.request('http', call('greet', { name: 'Ada' })))).toBe('hello Ada');
  const changed = new Promise((resolve) => host.once('catalogue', (_id, change) => resolve(change.tools.changed)));
  description = 'second';
  // The subscription is opened beside the first requests: tell until it is there.
  const telling = setInterval(() => handler.notify.toolsChanged(), 50);
  expect(await changed).toEqual(['greet']);
  clearInterval(telling);
});
