import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/repository.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'bindery-pack-'));
const env = {
  ...process.env,
  HOME: folder,
  npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? folder, '.npm'),
};
const installed = join(folder, 'node_modules', 'mcp-bindery');

beforeAll(async () => {
  await run('npm', ['pack', '--pack-destination', folder], { cwd: root, env });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) as string;
  writeFileSync(join(folder, 'package.json'), '{"name":"user","private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`], { cwd: folder, env });
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The bin as a shell finds it, on the Node that runs the tests. */
const bindery = (...argv: string[]) =>
  run(process.execPath, [join(folder, 'node_modules', '.bin', 'bindery'), ...argv], { cwd: folder, env });

test('the tarball holds the program and none of its tests', () => {
  const parts = ['dist/cli/main.js', 'dist/bundle/start.js', 'dist/bundle/LICENSES.txt'];
  expect(parts.map((part) => existsSync(join(installed, part)))).toEqual([true, true, true]);
  const names = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('node_modules'),
  );
  expect(names.filter((name) => /\.test\.|\/testing\/|tsbuildinfo/.test(name))).toEqual([]);
});

test('the installed bin says its version', async () => {
  const { version } = JSON.parse((await run('npm', ['pkg', 'get', '--json'], { cwd: installed, env })).stdout);
  expect((await bindery('--version')).stdout).toBe(`${version}\n`);
});

test('npx finds the program by the name of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const { stdout } = await run('npx', ['--no-install', 'mcp-bindery', '--version'], { cwd: folder, env });
  expect(stdout).toBe(`${version}\n`);
});

test('the installed bin builds a cache, with threads of its own', async () => {
  const sources = join(folder, 'documents');
  mkdirSync(sources);
  for (let at = 0; at < 3_000; at += 1) writeFileSync(join(sources, `${at}.md`), `document ${at}`);
  await bindery('context', 'build', '--sources', sources, '--cache', join(folder, 'cache'));
  const { stdout } = await bindery('context', 'inspect', '--cache', join(folder, 'cache'));
  expect(JSON.parse(stdout)).toMatchObject({ document_count: 3_000, valid: true });
});

test('the installed bin serves, and stops on SIGTERM', async () => {
  const child = spawn(
    process.execPath,
    [join(folder, 'node_modules', '.bin', 'bindery'), 'up', '--port', '0', '--json'],
    {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ready = await new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve));
  const { event, url } = JSON.parse(ready) as { event: string; url: string };
  const answer = await fetch(`${url}/openapi.json`);
  child.kill('SIGTERM');
  const exitCode = await new Promise((resolve) => child.once('exit', resolve));
  expect([event, answer.status, exitCode]).toEqual(['ready', 200, 0]);
});
