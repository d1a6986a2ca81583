import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../test/support/repository.ts';

const run = promisify(execFile);

/** The package as users get it: packed, and installed into an empty folder. */
export interface InstalledPackage {
  readonly dir: string;
  readonly program: string;
  remove(): Promise<void>;
}

export async function installPackage(): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-attack-'));
  const cache = process.env.npm_config_cache ?? join(process.env.HOME ?? folder, '.npm');
  const env = { ...process.env, HOME: folder, npm_config_cache: cache };
  await run('npm', ['pack', '--pack-destination', folder], { cwd: root, env });
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) as string;
  await writeFile(join(folder, 'package.json'), '{"name":"user","private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`], { cwd: folder, env });
  const dir = join(folder, 'node_modules', 'mcp-bindery');
  return {
    dir,
    program: join(dir, 'bin', 'bindery.js'),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
