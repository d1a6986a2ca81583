import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { checkUnused } from './doctor/check-files.ts';
import { createLog } from './log.ts';
import { upSettings } from './up-settings.ts';

let home: string;
let dataDir: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-unused-')));
  dataDir = join(home, 'data');
  mkdirSync(dataDir);
  mkdirSync(join(home, '.bindery'));
  for (const name of ['BINDERY_CONFIG_PATH', 'BINDERY_LAYOUT', 'XDG_CONFIG_HOME']) vi.stubEnv(name, '');
  vi.stubEnv('HOME', home);
  vi.stubEnv('BINDERY_DATA_DIR', dataDir);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

/** What `bindery up` warns of; it throws where it refuses to start. */
function start(flags: { readonly cwd?: string; readonly policy?: string } = {}): string[] {
  const warned: string[] = [];
  const log = createLog((line) => warned.push(JSON.parse(line).message), 'warn');
  upSettings({ cwd: home, ...flags }, log, () => '');
  return warned;
}

test('a policy in a data directory where it is not read keeps the gateway from starting', () => {
  expect(start()).toEqual([]);
  writeFileSync(join(dataDir, 'project_mcp.json'), '{"allowlist":{"servers":[]}}');
  writeFileSync(join(dataDir, 'config.json'), '{}');
  expect(() => start()).toThrow(
    expect.objectContaining({
      code: 'DATA_DIR_UNUSABLE',
      detail: `${dataDir}/config.json and ${dataDir}/project_mcp.json are not used: config and policy are read in ${home}/.bindery`,
      next: `Set BINDERY_CONFIG_PATH=${dataDir}/config.json to use them there, or move them to ${home}/.bindery.`,
    }),
  );
  const setUp = {
    cwd: home,
    configDir: join(home, '.bindery'),
    configFile: join(home, '.bindery/config.json'),
    dataDir,
  };
  const machine = { platform: process.platform, home, env: process.env };
  expect(checkUnused({ ...setUp, machine, running: undefined }).map(({ level }) => level)).toEqual(['error']);
});

test('files of the data directory that are used there, or of which a person said otherwise, do not keep it from starting', () => {
  const policy = join(dataDir, 'project_mcp.json');
  writeFileSync(policy, '{"allowlist":{"servers":[]}}');
  expect([start({ cwd: dataDir }), start({ policy })]).toEqual([[], []]);
  vi.stubEnv('BINDERY_CONFIG_PATH', join(dataDir, 'config.json'));
  expect(start()).toEqual([]);
  vi.stubEnv('BINDERY_CONFIG_PATH', join(home, 'elsewhere.json'));
  expect(start()).toEqual([expect.stringMatching(/project_mcp\.json is not used: config and policy are read in /)]);
  vi.stubEnv('BINDERY_CONFIG_PATH', '');
  symlinkSync(policy, join(home, '.bindery', 'project_mcp.json'));
  expect(start()).toEqual([]);
});
