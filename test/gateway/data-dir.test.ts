import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { findAnnouncement } from '../../src/cli/running-gateway.ts';
import {
  type BinderyHome,
  commandLine,
  createHome,
  type RunningBindery,
  startBindery,
} from '../support/running-bindery.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function openHome(): Promise<BinderyHome> {
  const made = await createHome({ version: 1 });
  ends.push(() => made.remove());
  return made;
}

async function up(home: BinderyHome, ...flags: string[]): Promise<RunningBindery> {
  const bindery = await startBindery(home, ...flags);
  ends.push(() => bindery.stop('SIGKILL'));
  return bindery;
}

/** Whether commands of this data directory find a gateway. */
const findsGateway = async ({ dataDir }: BinderyHome) => (await findAnnouncement(dataDir)) !== undefined;

async function codeOf({ cwd, env }: BinderyHome, ...argv: string[]): Promise<string> {
  const child = spawn(process.execPath, commandLine(...argv, '--json'), { cwd, env });
  const [{ code }] = await Promise.all([json(child.stdout) as Promise<{ code: string }>, once(child, 'close')]);
  return code;
}

test('a second gateway of one data directory is refused by the name of the first, which is found as before [gateway:R3]', async () => {
  const home = await openHome();
  const first = await up(home);
  const refused = startBindery(home);
  await expect(refused).rejects.toThrow(`process ${first.process.pid} serves it at ${first.url} (GATEWAY_RUNNING)`);
  await expect(refused).rejects.toThrow('--beside');
  expect([await findsGateway(home), await codeOf(home, 'mcp', 'reconnect', 'none')]).toEqual([
    true,
    'SERVER_NOT_FOUND',
  ]);
  expect(await first.stop()).toBe(0);
  expect([await findsGateway(home), existsSync(join(home.dataDir, 'gateway.json'))]).toEqual([false, false]);
});

test('a gateway that runs beside another takes nothing from it when it ends [gateway:R3]', async () => {
  const home = await openHome();
  const first = await up(home);
  const second = await up(home, '--beside');
  expect((await second.api('GET', '/v1/servers')).status).toBe(200);
  expect(await second.stop()).toBe(0);
  expect([await findsGateway(home), (await first.api('GET', '/v1/servers')).status]).toEqual([true, 200]);
});

test('a gateway that was killed, with workers or without, does not keep the next one from starting [gateway:R3]', async () => {
  const home = await openHome();
  const first = await up(home, '--workers', '2');
  await first.stop('SIGKILL');
  expect(await findsGateway(home)).toBe(false);
  await up(home);
  expect(await findsGateway(home)).toBe(true);
});
