import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';

test('the port of init is kept: connect, doctor and the next init take it, and restore takes it back', async () => {
  const home = openCommandHome();
  await home.run('init', '--yes', '--no-start', '--clients', 'cursor', '--port', '18099');
  const config = JSON.parse(readFileSync(join(home.dataDir, 'config.json'), 'utf8'));
  expect(config.gateway).toEqual({ port: 18_099 });
  const cursor = () => readFileSync(join(home.home, '.cursor/mcp.json'), 'utf8');
  expect(cursor()).toContain('http://127.0.0.1:18099/mcp');
  expect((await home.run('connect', 'gemini', '--print')).stdout).toContain(':18099/mcp');
  expect((await home.json('config', 'explain', 'gateway.port')).settings[0]).toMatchObject({
    value: 18_099,
    flag: '--port',
  });
  expect((await home.json('init', '--yes', '--no-start', '--clients', 'cursor', '--policy', 'keep')).backup).toBe(null);
  home.write('.bindery/config.json', '{"version": 1, "gateway": {"port": 18100}}');
  const { findings } = await home.json('doctor', '--cwd', home.home);
  expect(findings.filter(({ check }: { check: string }) => check === 'clients')).toMatchObject([
    { level: 'warning', message: 'cursor calls http://127.0.0.1:18099/mcp, and gateway.port is 18100' },
  ]);
});

test('a port that is none stops up, and names the key', async () => {
  const home = openCommandHome();
  const file = home.write('.bindery/config.json', '{"version": 1, "gateway": {"port": 99999}}');
  const { stderr, exitCode } = await home.run('up', '--cwd', home.home);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${file}: gateway.port: `)]);
});
