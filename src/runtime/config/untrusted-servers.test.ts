import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { PolicyVersions } from '../../store/policy/policy-versions.ts';
import { EffectiveConfig } from './effective-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'untrusted-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('many untrusted servers are one log line, and too many are one error', async () => {
  const log = createMemoryLog();
  const config = new EffectiveConfig({
    configFile: join(folder, 'config.json'),
    configDir: folder,
    projectDir: join(folder, 'project'),
    dataDir: folder,
    trustProject: false,
    env: {},
    log,
    registered: () => [],
    versions: new PolicyVersions(new DatabaseSync(':memory:')),
    isFollower: false,
  });
  mkdirSync(join(folder, 'project/.bindery'), { recursive: true });
  const define = (count: number) => {
    const servers = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`s${at}`, { transport: 'stdio', command: 'x' }]),
    );
    writeFileSync(config.store.files.project, JSON.stringify({ version: 1, mcp: { servers } }));
    return config.reload();
  };
  const lines = () => log.lines.splice(0).map(({ message }) => message);
  await define(2);
  expect(lines()).toEqual(['a server of the project is not started', 'a server of the project is not started']);
  await define(300);
  expect(lines()).toEqual(['298 servers of the project are not started']);
  await define(20_000);
  expect([config.error, config.servers.length]).toEqual([expect.stringContaining('defines 20000 servers'), 300]);
  expect(lines()).toEqual([config.error]);
});
