import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claimDataDir } from '../running-gateway.ts';
import { WatchedGateway } from './watch-approvals.ts';

test('who watches approvals is told which gateway asks, that it has ended, and when one runs again', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bindery-watch-'));
  const said: string[] = [];
  const gateway = new WatchedGateway(dataDir, async (text) => void said.push(text));
  const serve = async (url: string) => {
    const claim = await claimDataDir(dataDir);
    claim.announce(url, { cwd: dataDir, registryFile: join(dataDir, 'registry.db') });
    await gateway.look();
    await gateway.look();
    return claim;
  };
  await gateway.look();
  const first = await serve('http://127.0.0.1:1001');
  first.release();
  await gateway.look();
  const second = await serve('http://127.0.0.1:1002');
  second.release();
  expect(said).toEqual([
    'No gateway is running: nothing is asked until `bindery up`. Waiting for it; Ctrl-C ends.\n',
    'Watching the approvals of the gateway at http://127.0.0.1:1001; Ctrl-C ends.\n',
    'The gateway has ended: nothing is asked until `bindery up`. Waiting for it; Ctrl-C ends.\n',
    'Watching the approvals of the gateway at http://127.0.0.1:1002; Ctrl-C ends.\n',
  ]);
});
