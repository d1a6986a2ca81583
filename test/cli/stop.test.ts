import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BinderyHome, commandLine, createHome, startBindery } from '../support/running-bindery.ts';

let home: BinderyHome;
beforeEach(async () => {
  home = await createHome({});
});
afterEach(() => home.remove());

async function stop(...flags: string[]) {
  const child = spawn(process.execPath, commandLine('stop', ...flags), { cwd: home.cwd, env: home.env });
  const [[exitCode], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { exitCode, stdout, stderr };
}

test('stop ends the gateway of this data directory, waits for its end, and says so where none runs', async () => {
  const gateway = await startBindery(home);
  const { pid } = gateway.process;
  const ended = once(gateway.process, 'exit');
  expect(await stop()).toEqual({
    exitCode: 0,
    stdout: `stopped the gateway at ${gateway.url} (process ${pid})\n`,
    stderr: '',
  });
  expect((await ended)[0]).toBe(0);
  const none = await stop('--json');
  expect([none.exitCode, JSON.parse(none.stdout).code]).toEqual([1, 'GATEWAY_NOT_RUNNING']);
});
