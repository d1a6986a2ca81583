import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Command } from 'commander';
import { BinderyError } from '../contract/errors.ts';
import { createHttpApp, problemResponse } from '../http/app.ts';
import { ConsoleSignIn } from './console-sign-in.ts';
import { adminToken, authenticator, isLoopback, needsCredential, tokenOf } from './credentials.ts';
import { type ServedGateway, serveGateway } from './gateway/serve-gateway.ts';
import { hostGuard } from './host-guard.ts';
import { addMetadataRoutes } from './identity/metadata-routes.ts';
import { OAuthDoor } from './identity/oauth-door.ts';
import { createLog } from './log.ts';
import { mcpProfile } from './mcp-profile.ts';
import { peerAddress } from './peer-address.ts';
import { announceGateway } from './running-gateway.ts';
import { serveRooms } from './serve-rooms.ts';
import { startPage } from './start-page.ts';
import type { Terminal } from './terminal.ts';
import { addServingOptions, type UpFlags, upSettings } from './up-settings.ts';
import { VERSION } from './version.ts';
import type { ServedRoom, UpSettings } from './wiring.ts';
import { runWorker } from './workers/run-worker.ts';
import { WorkerSet } from './workers/worker-set.ts';

/** Time that running calls have when the process is asked to end. */
const DRAIN_MS = 10_000;

/** `bindery up`: every room that has something to serve, and the gateway before them, behind one address. */
export function addUpCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('up')
    .description('Serve Bindery on one address.')
    .option('--port <number>', 'port to listen on; 0 picks a free one', '7717')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--token <text>', 'bearer token that callers must send')
    .option('--workers <number>', 'processes that serve calls; each keeps a chain of the audit log', '1')
    .option('--json', 'print one line of JSON when ready');
  addServingOptions(command).action((flags: UpFlags) => runUp(flags, terminal));
}

async function runUp(flags: UpFlags, terminal: Terminal): Promise<void> {
  const address = { url: '' };
  const settings = upSettings(
    flags,
    createLog((line) => process.stderr.write(line), flags.json ? 'info' : 'warn'),
    () => address.url,
  );
  if (cluster.isWorker) {
    return runWorker(flags, settings, (port) => {
      address.url = urlOf(flags, port);
    });
  }
  const workers = workerCount(flags);
  const served = await serveRooms(settings);
  let gateway: ServedGateway | undefined;
  let set: WorkerSet | undefined;
  try {
    gateway = await serveGateway(settings, served);
    const hasCredential =
      tokenOf(flags, gateway.runtime) !== undefined ||
      gateway.runtime.verifier !== undefined ||
      gateway.runtime.keys.hasActive();
    if (!isLoopback(flags.host) && !hasCredential)
      throw new BinderyError('CREDENTIAL_REQUIRED', { detail: flags.host });
    const signIn = new ConsoleSignIn(adminToken(settings.dataDir), settings.clock);
    set = workers > 1 ? workerSet(workers, gateway, settings) : undefined;
    const server = createServer([...served, gateway], gateway, settings, flags, signIn, set);
    address.url = set ? await listenBehind(server, set, flags) : await listen(server, flags);
    const takeBack = await announceGateway(settings.dataDir, address.url, settings.cwd);
    try {
      await announce(flags, [...served, gateway], gateway, { url: address.url, signIn }, terminal);
      await untilStopped(terminal.signal);
      await Promise.all([set?.drain(DRAIN_MS), drain(server, gateway)]);
    } finally {
      takeBack();
      server.closeAllConnections();
    }
  } finally {
    set?.close();
    await gateway?.close();
    for (const room of served) await room.close();
  }
}

function createServer(
  served: readonly ServedRoom[],
  gateway: ServedGateway,
  settings: UpSettings,
  flags: UpFlags,
  signIn: ConsoleSignIn,
  workers: WorkerSet | undefined,
): Server {
  const { verifier } = gateway.runtime;
  const acceptsHost = hostGuard(settings.baseUrl, verifier ? [verifier.settings.audience] : []);
  const credentials = authenticator({
    token: tokenOf(flags, gateway.runtime),
    dataDir: settings.dataDir,
    keys: gateway.runtime.keys,
    oauth: verifier && new OAuthDoor(verifier),
    required: needsCredential(flags, gateway.runtime),
  });
  const app = createHttpApp({
    rooms: served.map((room) => room.bound),
    version: VERSION,
    log: settings.log,
    newRequestId: randomUUID,
    peerAddress,
    acceptsHost,
    authorize: (operation, call) => {
      if (!signIn.isSignedIn(operation, call)) return credentials.authorize(operation, call);
    },
  });
  app.get('/', (context) => {
    const code = context.req.query('sign_in');
    if (code === undefined) return context.html(startPage(served, settings.baseUrl()));
    const cookie = signIn.signIn(code);
    if (cookie === undefined) return problemResponse(new BinderyError('SIGN_IN_USED'), randomUUID());
    const headers = {
      location: '/',
      'set-cookie': cookie,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    };
    return new Response(null, { status: 303, headers });
  });
  app.get('/healthz', () => new Response('ok\n'));
  app.get('/readyz', async () => {
    const reasons = await gateway.unreadyReasons();
    return Response.json(
      { ready: reasons.length === 0, ...(reasons.length === 0 ? {} : { reasons }) },
      { status: reasons.length === 0 ? 200 : 503 },
    );
  });
  app.get('/metrics', async (context) => {
    await credentials.admit(context.req.header('authorization'));
    const lines = served.flatMap((room) => room.metrics?.() ?? []);
    return new Response(lines.map((line) => `${line}\n`).join(''), {
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    });
  });
  if (verifier) addMetadataRoutes(app, verifier.settings);
  const mcpUrl = () => verifier?.settings.audience ?? `${settings.baseUrl()}/mcp`;
  gateway.runtime.desk.serve(app, mcpUrl, (owner) => verifier?.userOf(owner) ?? owner);
  for (const room of served) room.extend?.(app);
  const rest: RequestListener = getRequestListener(app.fetch);
  const mcp = gateway.edge({
    authenticate: (headers, profile) => credentials.caller(headers.authorization, profile),
    acceptsHost,
    onCancelled: (session, requestId) => workers?.tell({ kind: 'cancelled', session, requestId }),
  });
  return createHttpServer((request, response) => {
    const profile = mcpProfile(request.url ?? '');
    if (profile === undefined) void rest(request, response);
    else mcp(request, response, profile);
  });
}

const WORKERS_MAX = 64;

function workerCount({ workers = '1' }: UpFlags): number {
  const count = Number(workers);
  if (Number.isInteger(count) && count >= 1 && count <= WORKERS_MAX) return count;
  throw new BinderyError('USAGE', { detail: `--workers is a number from 1 to ${WORKERS_MAX}` });
}

/** Workers that hear of what they cannot see: other lists, sessions that ended. */
function workerSet(workers: number, { runtime }: ServedGateway, { log }: UpSettings): WorkerSet {
  const { metrics } = runtime.recorder;
  const set = new WorkerSet({
    workers,
    log,
    onCalls: (calls) => {
      for (const { server, outcome, times } of calls) metrics.record(server, outcome, times);
    },
  });
  runtime.feed.on('changed', () => set.tell({ kind: 'changed' }));
  runtime.feed.on('session-ended', (session) => set.tell({ kind: 'session-ended', session }));
  return set;
}

/** The workers have the address; this process has a socket that only they know. */
async function listenBehind(server: Server, set: WorkerSet, flags: UpFlags): Promise<string> {
  server.listen(set.socketPath);
  await once(server, 'listening');
  return urlOf(flags, await set.start());
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
  return urlOf(flags, (server.address() as AddressInfo).port);
}

function urlOf({ host }: UpFlags, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function announce(
  flags: UpFlags,
  served: readonly ServedRoom[],
  gateway: ServedGateway,
  { url, signIn }: { readonly url: string; readonly signIn: ConsoleSignIn },
  terminal: Terminal,
): Promise<void> {
  if (flags.json) {
    const line = {
      event: 'ready',
      url,
      mcp_url: `${url}/mcp`,
      pid: process.pid,
      version: VERSION,
      servers: gateway.serverCount(),
      policy: gateway.policyState(),
      exposure: gateway.exposure(),
    };
    await terminal.out(`${JSON.stringify(line)}\n`);
    return;
  }
  const rooms = served.map((room) => `  ${room.bound.room.name.padEnd(9)}${room.bound.room.summary}`);
  const tries = served.flatMap((room) => room.tryNext()).map((line) => `  ${line}`);
  const policy = gateway.policyState() === 'none' ? ['No policy file: every tool may be called.', ''] : [];
  await terminal.out(
    [
      `Bindery ${VERSION} serves ${url}`,
      ...rooms,
      '',
      ...policy,
      'Try:',
      ...tries,
      '',
      'In an MCP client:',
      `  {"mcpServers": {"bindery": {"type": "http", "url": "${url}/mcp"}}}`,
      '',
      'Sign in as admin in a browser (works once):',
      `  ${signIn.link(url)}`,
      '',
      `Reference: ${url}/reference   Stop: Ctrl-C`,
      '',
    ].join('\n'),
  );
}

async function untilStopped(interrupted: AbortSignal): Promise<void> {
  await Promise.race([once(process, 'SIGTERM'), interrupted.aborted ? undefined : once(interrupted, 'abort')]);
}

/** Takes no new calls and gives running ones their time; streams that only listen are not waited for. */
async function drain(server: Server, gateway: ServedGateway): Promise<void> {
  gateway.drain();
  gateway.events.close();
  server.close();
  server.closeIdleConnections();
  const deadline = Date.now() + DRAIN_MS;
  while (gateway.runningCalls() > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
}
