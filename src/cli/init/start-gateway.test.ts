import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isClaimed } from '../running-gateway.ts';
import { stopGateway } from './start-gateway.ts';

const RUNNING_GATEWAY = new URL('../running-gateway.ts', import.meta.url).href;

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-stop-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('a gateway is stopped when its process has ended, not when it has withdrawn its announcement', async () => {
  const code = `
    const { claimDataDir } = await import(${JSON.stringify(RUNNING_GATEWAY)});
    const claim = await claimDataDir(${JSON.stringify(dataDir)});
    claim.announce('http://127.0.0.1:1', { cwd: '/', registryFile: '' });
    process.on('SIGTERM', () => {
      claim.takeBack();
      setTimeout(() => process.exit(), 300);
    });
    setInterval(() => {}, 1_000);
    console.log('serving');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const ended = once(child, 'exit');
  expect(await stopGateway(dataDir, 1)).toBe(false);
  expect([await stopGateway(dataDir, Number(child.pid)), isClaimed(dataDir)]).toEqual([true, false]);
  await ended;
});
