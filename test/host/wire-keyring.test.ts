import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startAuthorizationServer, walkThrough } from '../fixtures/authorization-server.ts';
import { World } from '../fixtures/connect.ts';
import { startGuardedServer } from '../fixtures/guarded-server.ts';
import { callTool, untilListed } from '../support/call-tool.ts';
import { KeyringDaemon, missingForKeyring } from '../support/keyring-daemon.ts';
import { commandLine, startBindery } from '../support/running-bindery.ts';

const missing = missingForKeyring();
if (missing !== undefined && process.env.BINDERY_KEYCHAIN_REQUIRED) throw new Error(missing);
const world = new World();
afterAll(() => world.close());

const title = 'tokens live in a real Secret Service, from the sign-in to their removal, across processes';
test(`[wire:KEYCHAIN] ${title}`, async ({ skip }) => {
  if (missing !== undefined) skip(`not run here, since ${missing}`);
  await watchItLive();
}, 120_000);

async function watchItLive() {
  const service = world.keep(await KeyringDaemon.start());
  const authorization = world.keep(await startAuthorizationServer());
  const { url, fixture, revoked } = await startGuardedServer({ server: authorization });
  world.keep(fixture);
  const run = runner(service);
  mkdirSync(join(service.home, '.bindery'));
  writeConfig(service, { token_store: 'keychain', servers: { guarded: { transport: 'http', url } } });
  const tokens = () => fixture.seen.flatMap(({ headers }) => headers.authorization?.replace('Bearer ', '') ?? []);
  const file = () => JSON.parse(readFileSync(join(service.home, '.bindery/mcp-auth.json'), 'utf8')).servers;
  const isTested = async () => JSON.parse((await run('mcp', 'test', 'guarded', '--json')).stdout).ok as boolean;

  const signedIn = await run('mcp', 'auth', 'login', 'guarded');
  expect([signedIn.stdout, signedIn.exitCode, service.count()], signedIn.stderr).toEqual([
    'signed in to guarded\n',
    0,
    1,
  ]);
  expect([file().guarded.stored_in, Object.keys(file().guarded).filter((name) => /token$|secret$/.test(name))]).toEqual(
    ['keychain', []],
  );

  // Another process finds the token; one that is refused is renewed, and the next process finds the new one.
  expect([await isTested(), authorization.grants]).toEqual([true, ['authorization_code']]);
  revoked.add(`Bearer ${tokens().at(-1)}`);
  expect([await isTested(), await isTested(), service.count(), authorization.grants]).toEqual([
    true,
    true,
    1,
    ['authorization_code', 'refresh_token'],
  ]);
  expect(JSON.parse((await run('mcp', 'auth', 'list', '--json')).stdout).items).toMatchObject([
    { server_id: 'guarded', has_refresh: true, expires_at: expect.any(String) },
  ]);

  // A gateway uses it as well, also after the keyring's process was another one for a while.
  await service.restart();
  const place = { dataDir: join(service.home, '.bindery'), cwd: service.home, env: service.env };
  const bindery = await startBindery(place);
  await untilListed(bindery.url, 'guarded__echo', {});
  const answer = await callTool(bindery.url, 'guarded__echo', { text: 'hello' });
  await bindery.stop();
  expect(answer.result.isError ?? false, JSON.stringify(answer)).toBe(false);

  // A keyring that is locked, or not there, says what to do, and nothing is asked or lost.
  const why =
    'the keychain of this machine is locked or there is none; open it, or set mcp.token_store of your config to "file"';
  service.lock();
  const locked = await run('mcp', 'auth', 'list', '--json');
  expect([locked.exitCode, JSON.parse(locked.stdout)]).toEqual([
    1,
    expect.objectContaining({ code: 'TOKEN_STORE_UNAVAILABLE', detail: why }),
  ]);
  const inWords = await run('mcp', 'auth', 'clear', 'guarded');
  expect([inWords.exitCode, inWords.stderr.includes('TOKEN_STORE_UNAVAILABLE'), inWords.stderr]).toEqual([
    1,
    true,
    expect.stringContaining(why),
  ]);
  const tested = JSON.parse((await run('mcp', 'test', 'guarded', '--json')).stdout);
  expect([tested.ok, tested.error]).toEqual([false, expect.stringContaining(why)]);
  expect(file().guarded.stored_in).toBe('keychain');
  await service.restart();
  expect([await isTested(), authorization.grants.length]).toEqual([true, 2]);

  const cleared = await run('mcp', 'auth', 'clear', 'guarded');
  expect([cleared.stdout, cleared.exitCode, service.count(), file()]).toEqual(['cleared guarded\n', 0, 0, {}]);
  expect(await isTested()).toBe(false);

  // What was written, by whomever, holds no token.
  const written = filesUnder(service.home).map((path) => readFileSync(path, 'latin1'));
  const all = [...written, ...run.printed, bindery.stderr()].join('\n');
  expect([new Set(tokens()).size, tokens().filter((token) => all.includes(token))]).toEqual([2, []]);
}

/** Runs commands as processes of their own that see the service; a sign-in is walked through by a person. */
function runner(service: KeyringDaemon) {
  const printed: string[] = [];
  const run = async (...argv: string[]) => {
    const child = spawn(process.execPath, commandLine(...argv), {
      cwd: service.home,
      env: { ...service.env, BINDERY_OAUTH_BROWSER: 'manual' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    let isOpened = false;
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk) => {
        output[name] += chunk;
        const [, page] = /open: (\S+)\n/.exec(output.stderr) ?? [];
        const [, redirectUri] = /comes back to: (\S+)\n/.exec(output.stderr) ?? [];
        if (page === undefined || redirectUri === undefined || isOpened) return;
        isOpened = true;
        void walkThrough(page, redirectUri).then((target) => fetch(target));
      });
    }
    const [exitCode] = (await once(child, 'close')) as [number];
    printed.push(output.stdout, output.stderr);
    return { ...output, exitCode };
  };
  return Object.assign(run, { printed });
}

function writeConfig({ home }: KeyringDaemon, mcp: object): void {
  writeFileSync(join(home, '.bindery/config.json'), JSON.stringify({ version: 1, mcp }));
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
