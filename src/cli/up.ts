import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Command } from 'commander';
import type { Context } from 'hono';
import { BinderyError } from '../contract/errors.ts';
import { createHttpApp } from '../http/app.ts';
import { createMcpServer } from '../mcp/server.ts';
import { directories } from './directories.ts';
import { hostGuard } from './host-guard.ts';
import { createLog } from './log.ts';
import { wirings } from './rooms.ts';
import { announceGateway } from './running-gateway.ts';
import { startPage } from './start-page.ts';
import type { Terminal } from './terminal.ts';
import { VERSION } from './version.ts';
import type { ServedRoom, UpSettings } from './wiring.ts';

interface UpFlags {
  readonly port: string;
  readonly host: string;
  readonly cwd: string;
  readonly json?: boolean;
}

/** `bindery up`: every room that has something to serve, behind one address. */
export function addUpCommand(program: Command, terminal: Terminal): void {
  program
    .command('up')
    .description('Serve Bindery on one address.')
    .option('--port <number>', 'port to listen on; 0 picks a free one', '7717')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--cwd <dir>', 'folder of the project', '.')
    .option('--caches <dir>', 'folder of context caches')
    .option('--zones <dir>', 'folder of zone files')
    .option('--corpus <dir>', 'folder of a civic corpus')
    .option('--providers <file>', 'file of the provider directory')
    .option('--trusted-proxy <cidr>', 'proxy whose X-Forwarded-For counts (repeatable)', collect)
    .option('--allow-private-endpoints', 'let names resolve to private addresses')
    .option('--json', 'print one line of JSON when ready')
    .action((flags: UpFlags) => runUp(flags, terminal));
}

async function runUp(flags: UpFlags, terminal: Terminal): Promise<void> {
  const log = createLog((line) => process.stderr.write(line), flags.json ? 'info' : 'warn');
  const { configDir, dataDir } = directories(process.env);
  const address = { url: '' };
  const settings: UpSettings = {
    flags: flags as unknown as Record<string, unknown>,
    cwd: resolve(flags.cwd),
    configDir,
    dataDir,
    log,
    clock: { now: Date.now },
    random: { bytes: (length) => randomBytes(length) },
    baseUrl: () => address.url,
  };
  const served: ServedRoom[] = [];
  try {
    for (const wiring of wirings) {
      const room = await wiring.serve?.(settings);
      if (room) served.push(room);
    }
    const server = createServer(served, settings);
    address.url = await listen(server, flags);
    const takeBack = await announceGateway(dataDir, address.url).catch((error: unknown) => {
      log.warn('the data directory cannot be written: other commands will not find this gateway', { error });
      return () => {};
    });
    try {
      await announce(flags, served, address.url, terminal);
      await untilStopped(terminal.signal);
    } finally {
      takeBack();
      server.close();
      server.closeAllConnections();
    }
  } finally {
    for (const room of served) await room.close();
  }
}

function createServer(served: readonly ServedRoom[], settings: UpSettings): Server {
  const rooms = served.map((room) => room.bound);
  const common = { rooms, version: VERSION, log: settings.log, newRequestId: randomUUID };
  const app = createHttpApp({ ...common, peerAddress, acceptsHost: hostGuard(settings.baseUrl) });
  const mcp = createMcpHandler(() => createMcpServer({ ...common, name: 'bindery' }), {
    onerror: (error) => settings.log.warn('mcp request refused', { error: error.message }),
  });
  app.all('/mcp', (context) => mcp.fetch(context.req.raw));
  app.get('/', (context) => context.html(startPage(served, settings.baseUrl())));
  for (const room of served) room.extend?.(app);
  return createAdaptorServer({ fetch: app.fetch }) as Server;
}

/** Address of the socket behind a request that the Node server hands to the app. */
export function peerAddress(context: Context): string | undefined {
  return (context.env as Partial<HttpBindings>).incoming?.socket.remoteAddress;
}

async function listen(server: Server, flags: UpFlags): Promise<string> {
  server.listen(Number(flags.port), flags.host);
  try {
    await once(server, 'listening');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new BinderyError('PORT_IN_USE', { detail: `port ${flags.port} on ${flags.host}` });
    }
    throw thrown;
  }
  const { port } = server.address() as AddressInfo;
  return `http://${flags.host.includes(':') ? `[${flags.host}]` : flags.host}:${port}`;
}

async function announce(flags: UpFlags, served: readonly ServedRoom[], url: string, terminal: Terminal): Promise<void> {
  if (flags.json) {
    const line = {
      event: 'ready',
      url,
      mcp_url: `${url}/mcp`,
      pid: process.pid,
      version: VERSION,
      servers: served.length,
    };
    await terminal.out(`${JSON.stringify(line)}\n`);
    return;
  }
  const rooms = served.map((room) => `  ${room.bound.room.name.padEnd(9)}${room.bound.room.summary}`);
  const tries = served.flatMap((room) => room.tryNext()).map((line) => `  ${line}`);
  await terminal.out(
    [
      `Bindery ${VERSION} serves ${url}`,
      ...rooms,
      '',
      'Try:',
      ...tries,
      '',
      'In an MCP client:',
      `  {"mcpServers": {"bindery": {"type": "http", "url": "${url}/mcp"}}}`,
      '',
      `Reference: ${url}/reference   Stop: Ctrl-C`,
      '',
    ].join('\n'),
  );
}

async function untilStopped(interrupted: AbortSignal): Promise<void> {
  await Promise.race([once(process, 'SIGTERM'), interrupted.aborted ? undefined : once(interrupted, 'abort')]);
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}
