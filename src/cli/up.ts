import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { join } from 'node:path';
import type { Command } from 'commander';
import { BinderyError } from '../contract/errors.ts';
import { PlainPosts } from '../proxy/fast-path/plain-posts.ts';
import { paceRequests } from '../proxy/http/paced-requests.ts';
import { credentialKeysProblem } from '../runtime/config/private-file.ts';
import {
  type AccessControl,
  accessControl,
  isLoopback,
  needsCredential,
  tlsHosts,
  tokenOf,
} from '../runtime/http/access-control.ts';
import { ConsoleSignIn } from '../runtime/http/console-sign-in.ts';
import { adminToken } from '../runtime/http/credentials.ts';
import { LateApi } from '../runtime/http/late-api.ts';
import { mcpProfile } from '../runtime/http/mcp-edge.ts';
import { countUnsent, watchUnsent } from '../runtime/http/watch-unsent.ts';
import { UP_LIMITS } from '../runtime/limits.ts';
import { type ServedGateway, serveGateway } from '../runtime/serve-gateway.ts';
import type { UpFlags, UpSettings } from '../runtime/up-settings.ts';
import { WORKER_ENV } from '../runtime/workers/messages.ts';
import { runWorker } from '../runtime/workers/run-worker.ts';
import { WorkerSet, type WorkerSetOptions } from '../runtime/workers/worker-set.ts';
import { announceToPerson, announceToProgram, printApprovals } from './announce.ts';
import { configuredPort } from './gateway-port.ts';
import { createLog, createPersonLog } from './log.ts';
import { readCivicConfig } from './rooms/civic-config.ts';
import { nameResolverOf } from './rooms/name-resolver.ts';
import { type ClaimedDataDir, claimDataDir, claimWhenFree } from './running-gateway.ts';
import { serveRooms } from './serve-rooms.ts';
import type { Terminal } from './terminal.ts';
import { givenToken, tokenFileWarning } from './token-flags.ts';
import { addServingOptions, portOf, upSettings } from './up-settings.ts';

/** `bindery up`: the gateway and every room with something to serve, behind one address. */
export function addUpCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('up')
    .description('Start the gateway and serve everything on one address.')
    .option('--port <number>', 'port to listen on; 0 picks a free one (default: gateway.port of the config, or 7717)')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--token <text>', 'bearer token that callers must send')
    .option('--token-file <path>', 'file with that token, which then is not on the command line')
    .option('--workers <number>', 'processes that serve calls; each keeps a chain of the audit log', '1')
    .option('--advertise <url>', 'address under which other nodes of the same database reach this one')
    .option('--beside', 'run beside another gateway with this data directory; commands use the other one while it runs')
    .option('--json', 'print one line of JSON when ready');
  addServingOptions(command).action((flags: GivenFlags) => runUp(flags, terminal));
}

/** Without a port in the flags, the config's port is used. */
type GivenFlags = Omit<UpFlags, 'port'> & { readonly port?: string; readonly tokenFile?: string };

async function runUp(given: GivenFlags, terminal: Terminal): Promise<void> {
  const token = givenToken(given);
  const address = { url: '' };
  const settings = upSettings(
    given,
    given.json || !terminal.hasWatcher
      ? createLog((line) => process.stderr.write(line), given.json ? 'info' : 'warn')
      : createPersonLog((text) => void terminal.warn(text)),
    () => address.url,
  );
  const flags = { ...given, ...(token === undefined ? {} : { token }), port: given.port ?? portOfConfig(settings) };
  if (cluster.isWorker) {
    return runWorker(settings, {
      flags,
      ownUrls: ownUrls(settings),
      onListening: (port) => {
        address.url = urlOf(flags, port);
      },
    });
  }
  const workers = workerCount(flags);
  if (/^[\d.]+$/.test(flags.host) && isIP(flags.host) === 0) throw noAddress(flags.host, 'is no address');
  portOf(flags.port);
  for (const warning of [tokenFileWarning(given), credentialKeysProblem(settings.dataDir)]) {
    if (warning !== undefined) settings.log.warn(warning);
  }
  const claim = flags.beside ? claimWhenFree(settings.dataDir) : await claimDataDir(settings.dataDir);
  try {
    await serveAll({ flags, settings, terminal, workers, claim, address, typedToken: given.token });
  } finally {
    claim.release();
  }
}

/** A replacement worker listens on the port of its predecessor, even if the config has changed. */
function portOfConfig({ configFile }: UpSettings): string {
  return process.env[WORKER_ENV.port] ?? String(configuredPort(configFile));
}

interface Serving {
  readonly flags: UpFlags;
  readonly settings: UpSettings;
  readonly terminal: Terminal;
  readonly workers: number;
  readonly claim: ClaimedDataDir;
  /** Set when the port is known. */
  readonly address: { url: string };
  /** The token from the command line. */
  readonly typedToken: string | undefined;
}

async function serveAll({ flags, settings, terminal, workers, claim, address, typedToken }: Serving): Promise<void> {
  const served = await serveRooms(settings);
  let gateway: ServedGateway | undefined;
  let set: WorkerSet | undefined;
  try {
    gateway = await serveGateway(settings, served, { names: nameResolverOf(served), ownsRegistry: true });
    const hasCredential =
      tokenOf(flags, gateway.runtime) !== undefined ||
      gateway.runtime.access.verifier !== undefined ||
      gateway.runtime.stores.keys.hasActive();
    if (!isLoopback(flags.host) && !hasCredential)
      throw new BinderyError('CREDENTIAL_REQUIRED', { detail: flags.host });
    const published = served.find(({ publicUrl }) => publicUrl !== undefined)?.publicUrl;
    if (published !== undefined && !needsCredential(flags, gateway.runtime))
      throw new BinderyError('CREDENTIAL_REQUIRED', {
        detail: `${published} is public`,
        next: 'Add --token, create an API key, set up OAuth, or remove civic.base_url from config.json.',
      });
    const { runtime } = gateway;
    const signIn = new ConsoleSignIn(
      adminToken(settings.dataDir),
      settings.clock,
      tlsHosts(runtime, ownUrls(settings)),
    );
    set = workers > 1 ? workerSet({ workers, port: flags.port }, gateway, settings) : undefined;
    const control = accessControl(gateway.runtime, settings, { flags, ownUrls: ownUrls(settings) });
    const { access } = gateway.runtime;
    access.callbacks.open(() => access.verifier?.settings.audience ?? `${settings.baseUrl()}/mcp`);
    const api = new LateApi({ served, gateway, settings, signIn, ...control });
    const { server, posts } = createServer(control, gateway, set, api);
    address.url = set ? await listenBehind(server, set, flags) : await listen(server, flags);
    // A parent that reads the ready line may send SIGTERM at once.
    const stopped = untilStopped(terminal.signal);
    claim.announce(address.url, settings);
    try {
      if (flags.json) await announceToProgram(gateway, address.url, terminal);
      else {
        const credential = { isNeeded: needsCredential(flags, runtime), typed: typedToken };
        const started = {
          url: address.url,
          newLink: () => signIn.link(address.url),
          besideTokenFile: flags.beside ? join(settings.dataDir, 'admin.token') : undefined,
          credential,
        };
        await announceToPerson([...served, await api.room()], gateway, started, terminal);
        printApprovals(runtime.approvals, address.url, terminal);
      }
      api.loadSoon();
      await stopped;
      await Promise.all([set?.drain(UP_LIMITS.drainMs), drain({ server, posts, gateway, api })]);
    } finally {
      claim.takeBack();
      server.closeAllConnections();
      posts?.destroy();
    }
  } finally {
    set?.close();
    await gateway?.close();
    for (const room of served) await room.close();
  }
}

/** Serves `/mcp` at once; the API, which loads on first use, serves everything else. */
function createServer(control: AccessControl, gateway: ServedGateway, workers: WorkerSet | undefined, api: LateApi) {
  const { credentials, acceptsHost } = control;
  const mcp = gateway.edge({
    authenticate: (headers, profile) => credentials.caller(headers.authorization, profile),
    acceptsHost,
    onCancelled: (session, requestId) => workers?.tell({ kind: 'cancelled', session, requestId }),
  });
  const server = createHttpServer((request, response) => {
    const profile = mcpProfile(request.url ?? '');
    if (profile !== undefined) return mcp(request, response, profile);
    countUnsent(response);
    api.serve(request, response);
  });
  // Requests that may be forwarded must be read by Node's server.
  const isAlone = workers === undefined && gateway.runtime.nodes === undefined;
  const posts = isAlone
    ? new PlainPosts(server, (post, response, url) => mcp(post, response, mcpProfile(url) as string))
    : undefined;
  if (!posts) paceRequests(server);
  watchUnsent(server);
  return { server, posts };
}

/** Addresses under which other nodes and readers of the corpus reach this gateway. */
function ownUrls({ advertise, configFile }: UpSettings): string[] {
  return [advertise, readCivicConfig(configFile).base_url].filter((url) => url !== undefined);
}

function workerCount({ workers = '1' }: UpFlags): number {
  const count = Number(workers);
  if (Number.isInteger(count) && count >= 1 && count <= UP_LIMITS.workersMax) return count;
  throw new BinderyError('USAGE', { detail: `--workers is a number from 1 to ${UP_LIMITS.workersMax}` });
}

/** The workers, with the primary's changes sent to them: lists, ended sessions, accepted policies. */
function workerSet(
  many: Pick<WorkerSetOptions, 'workers' | 'port'>,
  { runtime }: ServedGateway,
  { log }: UpSettings,
): WorkerSet {
  const { metrics } = runtime.audit.recorder;
  const set = new WorkerSet({
    ...many,
    log,
    onCalls: (calls) => {
      for (const { server, outcome, times } of calls) metrics.record(server, outcome, times);
    },
    policyFiles: () => runtime.policy.files.status().map(({ file }) => file),
  });
  runtime.feed.on('policy-accepted', () => set.tell({ kind: 'policy-accepted' }));
  runtime.feed.on('changed', () => set.tell({ kind: 'changed' }));
  runtime.feed.on('session-ended', (session) => set.tell({ kind: 'session-ended', session }));
  return set;
}

/** The workers listen on the address; this process listens on a private socket. */
async function listenBehind(server: Server, set: WorkerSet, flags: UpFlags): Promise<string> {
  server.listen(set.socketPath);
  await once(server, 'listening');
  return urlOf(flags, await set.start());
}

async function listen(server: Server, flags: UpFlags): Promise<string> {
  server.listen(portOf(flags.port), flags.host);
  try {
    await once(server, 'listening');
  } catch (thrown) {
    throw listenFailure(thrown, flags);
  }
  return urlOf(flags, (server.address() as AddressInfo).port);
}

/** Explains why the address cannot be used. */
function listenFailure(thrown: unknown, { port, host }: UpFlags): unknown {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return new BinderyError('PORT_IN_USE', { detail: `port ${port} on ${host}` });
  const reasons: Readonly<Record<string, string>> = {
    EADDRNOTAVAIL: 'is no address of this machine',
    ENOTFOUND: 'is no known name of an address',
    EAI_AGAIN: 'is no known name of an address',
    EACCES: `may not be used with port ${port} by this user`,
  };
  const reason = code === undefined ? undefined : reasons[code];
  if (reason === undefined) return thrown;
  return noAddress(host, reason, thrown);
}

function noAddress(host: string, reason: string, cause?: unknown): BinderyError {
  return new BinderyError('USAGE', {
    detail: `--host ${host} ${reason}`,
    next: 'Use 127.0.0.1 for programs of this machine, or 0.0.0.0 for all; ports below 1024 need rights.',
    cause,
  });
}

function urlOf({ host }: UpFlags, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function untilStopped(interrupted: AbortSignal): Promise<void> {
  // The listener stays: cleanup libraries re-raise the signal if there is no other listener.
  const told = new Promise<void>((resolve) => process.on('SIGTERM', () => resolve()));
  await Promise.race([told, interrupted.aborted ? undefined : once(interrupted, 'abort')]);
}

interface Draining {
  readonly server: Server;
  readonly posts: PlainPosts | undefined;
  readonly gateway: ServedGateway;
  readonly api: LateApi;
}

/** Graceful shutdown: takes no new calls and waits for running ones, but not for streams that only listen. */
async function drain({ server, posts, gateway, api }: Draining): Promise<void> {
  gateway.drain();
  api.close();
  server.close();
  server.closeIdleConnections();
  posts?.close();
  const deadline = Date.now() + UP_LIMITS.drainMs;
  while (gateway.runningCalls() > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
}
