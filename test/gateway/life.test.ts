import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { openSession, type RpcAnswer } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  isAlive,
  listServers,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from '../support/running-bindery.ts';

const stdioServer = fileURLToPath(new URL('../fixtures/servers/stdio-server.ts', import.meta.url));
const entry = (behaviour = 'legacy', more: object = {}) => ({
  transport: 'stdio',
  command: process.execPath,
  args: [stdioServer, behaviour],
  ...more,
});
const configOf = (servers: object) => ({ mcp: { servers }, gateway: { exposure: 'all' } });

let home: BinderyHome;
let bindery: RunningBindery;

async function start(servers: Record<string, object>, ...known: string[]) {
  home = await createHome(configOf(servers));
  bindery = await startBindery(home);
  if (known.length > 0) await untilKnown(bindery, ...known);
  const session = await openSession(bindery.mcpUrl);
  return {
    session,
    call: async (name: string, args: object = {}) =>
      textOf(await session.request('tools/call', { name, arguments: args })),
  };
}

afterEach(async () => {
  if (bindery.process.exitCode === null && bindery.process.signalCode === null) await bindery.stop('SIGKILL');
  await home.remove();
});

describe('a config that changes while the gateway runs', () => {
  test('a profile that is removed ends the streams of its clients, and nothing else', async () => {
    const profiles = { other: { servers: ['kept'] } };
    const config = configOf({ kept: entry() });
    home = await createHome({ ...config, gateway: { ...config.gateway, profiles } });
    bindery = await startBindery(home);
    await untilKnown(bindery, 'kept');
    const others = await openSession(`${bindery.mcpUrl}/other`);
    const stream = await fetch(`${bindery.mcpUrl}/other`, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': others.id },
    });
    const mine = await openSession(bindery.mcpUrl);
    const told: string[] = [];
    await mine.listen(({ method }) => void told.push(method));
    await home.writeConfig(config);
    expect(await stream.text()).toBe('');
    await writeFile(join(home.dir, '.bindery', 'project_mcp.json'), '{"allowlist":{"servers":[]}}');
    await until('the list was told', () => told.includes('notifications/tools/list_changed'));
    expect(bindery.process.exitCode).toBeNull();
    expect(bindery.stderr()).not.toContain('could not');
  });

  test('reconnects only what changed, brings what is new, lets calls on what is gone end [gateway:M8] [gateway:L1]', async () => {
    const { session, call } = await start(
      { kept: entry(), changed: entry(), removed: entry() },
      'kept',
      'changed',
      'removed',
    );
    const told: string[] = [];
    const stop = await session.listen(({ method }) => void told.push(method));
    const before = { kept: await call('kept__pid'), changed: await call('changed__pid') };
    const running = call('removed__slow', { steps: 30, everyMs: 50 });
    await until('the call runs', async () => (await runningTools()).includes('slow'));
    await home.writeConfig(
      configOf({ kept: entry(), changed: entry('legacy', { env: { MARK: 'new' } }), added: entry() }),
    );
    await untilKnown(bindery, 'added');
    await until('the list was told', () => told.includes('notifications/tools/list_changed'));
    const after = { kept: await call('kept__pid'), changed: await call('changed__pid') };
    const { MARK } = JSON.parse((await call('changed__env')) ?? '{}') as { MARK?: string };
    stop();
    expect({
      keptStayed: after.kept === before.kept,
      changedStayed: after.changed === before.changed,
      MARK,
      running: await running,
      added: await call('added__echo', { message: 'usable' }),
      removed: (await session.request('tools/call', { name: 'removed__echo', arguments: {} })).error?.code,
    }).toEqual({
      keptStayed: true,
      changedStayed: false,
      MARK: 'new',
      running: 'slow is done',
      added: 'usable',
      removed: -32602,
    });
  });

  test('and cannot be read keeps the last good one, and says so [gateway:M8]', async () => {
    const { call } = await start({ kept: entry() }, 'kept');
    const before = await call('kept__pid');
    await writeFile(join(home.dir, '.bindery', 'config.json'), '{"mcp": {"servers": ');
    const listed = async () => (await (await fetch(`${bindery.url}/v1/servers`)).json()) as { config_error?: unknown };
    await until('the error is shown', async () => Boolean((await listed()).config_error));
    expect([await call('kept__pid'), (await listServers(bindery)).map(({ id }) => id)]).toEqual([
      before,
      expect.arrayContaining(['kept']),
    ]);
  });
});

describe('the end of the gateway', () => {
  test('by SIGTERM lets running calls end, takes no new ones, and leaves no child [gateway:G6] [gateway:G4] [gateway:E5]', async () => {
    const { session, call } = await start({ pipe: entry('stubborn') }, 'pipe');
    const pids = [Number(await call('pipe__pid')), Number(await call('pipe__child'))];
    const running = call('pipe__slow', { steps: 40, everyMs: 50 });
    await until('the call runs', async () => (await runningTools()).includes('slow'));
    const ended = bindery.stop('SIGTERM');
    await until('nothing new is taken', async () => {
      const status = await session.send({ id: 1, method: 'ping' }).then(
        (response) => response.status,
        () => 'no connection',
      );
      return status === 503 || status === 'no connection';
    });
    expect([await running, await ended]).toEqual(['slow is done', 0]);
    await until('the children are gone', () => !pids.some(isAlive));
  });

  test('by SIGKILL leaves no child either [gateway:G6]', async () => {
    const { call } = await start({ pipe: entry('stubborn') }, 'pipe');
    const pids = [Number(await call('pipe__pid')), Number(await call('pipe__child'))];
    expect([pids.every(isAlive), await bindery.stop('SIGKILL')]).toEqual([true, 'SIGKILL']);
    await until('the children are gone', () => !pids.some(isAlive));
  });

  test('in mid-call leaves a begin that the next start ends as interrupted [gateway:U3] [gateway:A1]', async () => {
    const { session } = await start({ pipe: entry() }, 'pipe');
    void session.send({ id: 1, method: 'tools/call', params: { name: 'pipe__never', arguments: {} } }).catch(() => {});
    await until('the call runs', async () => (await runningTools()).includes('never'));
    await bindery.stop('SIGKILL');
    bindery = await startBindery(home);
    const { items } = (await (await fetch(`${bindery.url}/v1/audit?tool=never`)).json()) as {
      items: { outcome: string }[];
    };
    expect(items.map(({ outcome }) => outcome)).toEqual(['interrupted']);
  });
});

/** Tools of calls that were begun and have not ended. */
async function runningTools(): Promise<unknown[]> {
  const { items } = (await (await fetch(`${bindery.url}/v1/audit`)).json()) as { items: Record<string, unknown>[] };
  return items.filter(({ outcome }) => outcome === undefined).map(({ tool }) => tool);
}

function textOf({ result }: RpcAnswer): string | undefined {
  return (result as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text;
}
