// Walks the first pages as a new user would, in an empty home, with the built program, and says how long each step took. A step that
// fails, or that needs something that no page says, fails the walk. The network is not needed: npx finds the servers of this checkout.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { commandLines } from '../test/support/written-commands.ts';

const root = resolve(import.meta.dirname, '..');
const PAGES = ['docs/guides/getting-started.md', 'docs/guides/connect-your-client.md'];

const home = mkdtempSync(join(tmpdir(), 'bindery-first-minutes-'));
const bin = join(home, 'bin');
mkdirSync(bin);
const shim = (name: string, command: string) => {
  writeFileSync(join(bin, name), `#!/bin/sh\nexec ${command} "$@"\n`);
  chmodSync(join(bin, name), 0o755);
};
shim('bindery', `'${process.execPath}' '${join(root, 'bin', 'bindery.js')}'`);
shim('npx', `'${process.execPath}' '${join(root, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js')}'`);
const path = [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
const env = { HOME: home, PATH: path, BINDERY_OAUTH_BROWSER: 'manual', NO_COLOR: '1' };

/** Steps that end with 1 because there is something to say: nothing to import yet, or a problem that the doctor found. */
const MAY_SAY_NO = /^bindery (doctor|restore|import)/;

let failed = 0;
function walk(line: string): void {
  const begun = performance.now();
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: home, env, encoding: 'utf8', input: '' });
  const isWell = status === 0 || (status === 1 && MAY_SAY_NO.test(line));
  if (!isWell) failed += 1;
  console.log(
    `${isWell ? 'ok    ' : 'FAILED'} ${String(Math.round(performance.now() - begun)).padStart(6)} ms  ${line}`,
  );
  if (!isWell) console.log(`${stdout}${stderr}`);
}

/** The gateway stays, as in a first terminal; its port is any, because the usual one may be taken here. */
async function startGateway(): Promise<ReturnType<typeof spawn>> {
  const begun = performance.now();
  const gateway = spawn('sh', ['-c', 'exec bindery up --port 0'], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  while (!said.includes('Stop: Ctrl-C')) {
    const [chunk] = await Promise.race([once(gateway.stdout, 'data'), once(gateway, 'exit').then(() => [undefined])]);
    if (chunk === undefined) throw new Error(`bindery up ended: ${said}`);
    said += String(chunk);
  }
  console.log(`ok     ${String(Math.round(performance.now() - begun)).padStart(6)} ms  bindery up`);
  return gateway;
}

let gateway: ReturnType<typeof spawn> | undefined;
try {
  for (const page of PAGES) {
    console.log(`\n${page}`);
    for (const line of commandLines(readFileSync(join(root, page), 'utf8'))) {
      if (line === 'bindery up') gateway ??= await startGateway();
      else walk(line);
    }
  }
} finally {
  if (gateway) {
    gateway.kill('SIGTERM');
    await once(gateway, 'exit');
  }
  rmSync(home, { recursive: true, force: true });
}
console.log(failed === 0 ? '\nEvery step works as it is written.' : `\n${failed} steps failed.`);
process.exitCode = failed === 0 ? 0 : 1;
