// Follows the first pages as a new user would, in an empty home, with the built program and the machine's own Node on the PATH, and prints
// how long each step took. It fails if a step fails, or needs something that no page mentions. It needs no network: npx finds the servers
// of this checkout.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { commandLines } from '../test/support/written-commands.ts';

const root = resolve(import.meta.dirname, '..');
const guides = join('docs', 'guides');
const PAGES = [
  'README.md',
  join(guides, 'getting-started.md'),
  ...readdirSync(join(root, guides), { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(connect|clients)[^/]*(\.md|\/.*\.md)$/.test(name))
    .sort()
    .map((name) => join(guides, name)),
];

const base = mkdtempSync(join(tmpdir(), 'bindery-first-minutes-'));
const bin = join(base, 'bin');
mkdirSync(bin);
const shim = (name: string, command: string) => {
  writeFileSync(join(bin, name), `#!/bin/sh\nexec ${command} "$@"\n`);
  chmodSync(join(bin, name), 0o755);
};
shim('bindery', `'${process.execPath}' '${join(root, 'bin', 'bindery.js')}'`);
shim('npx', `'${process.execPath}' '${join(root, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js')}'`);
const own = machineNode();
const path = [bin, ...(own ? [dirname(own)] : []), '/usr/bin', '/bin'].join(delimiter);

/** An empty home with a project: every page starts from scratch. */
interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

function newPlace(): Place {
  const home = mkdtempSync(join(base, 'home-'));
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  return { cwd, env: { HOME: home, PATH: path, BINDERY_OAUTH_BROWSER: 'manual', NO_COLOR: '1' } };
}

/** Steps that may exit with 1 because they report something: nothing to import yet, a question without a terminal, a problem. */
const MAY_SAY_NO = /^bindery (doctor|restore|import|init)/;
/** Steps whose exit code is the answer. */
const ANSWERS = /^bindery policy check/;
/** Steps that would connect to another machine, or wait for a person. */
const NEEDS_OTHERS = /^bindery (mcp (test|auth) docs|demo|shell|stdio|console|audit tail --follow|approvals watch)/;

let failed = 0;
let begunAt = performance.now();
function told(isWell: boolean, line: string, said = ''): void {
  if (!isWell) failed += 1;
  const tookMs = String(Math.round(performance.now() - begunAt)).padStart(6);
  console.log(`${isWell ? 'ok    ' : 'FAILED'} ${tookMs} ms  ${line}${isWell ? '' : `\n${said}`}`);
  begunAt = performance.now();
}

function walk(line: string, place: Place): void {
  begunAt = performance.now();
  if (NEEDS_OTHERS.test(line)) {
    console.log(`not tried       ${line}`);
    return;
  }
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { ...place, encoding: 'utf8', input: '' });
  const isAnswer = ANSWERS.test(line) && [10, 11].includes(status ?? -1);
  told(status === 0 || (status === 1 && MAY_SAY_NO.test(line)) || isAnswer, line, `${stdout}${stderr}`);
}

/** The gateway keeps running, as in a first terminal; it uses any free port, because the default may be in use. */
async function startGateway(place: Place): Promise<ReturnType<typeof spawn>> {
  begunAt = performance.now();
  const gateway = spawn('sh', ['-c', 'exec bindery up --port 0'], { ...place, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  while (!said.includes('Stop: Ctrl-C')) {
    const [chunk] = await Promise.race([once(gateway.stdout, 'data'), once(gateway, 'exit').then(() => [undefined])]);
    if (chunk === undefined) throw new Error(`bindery up ended: ${said}`);
    said += String(chunk);
  }
  told(true, 'bindery up');
  return gateway;
}

/** The first Node of this machine that is not the checkout's own. */
function machineNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders.map((folder) => join(folder, 'node')).find((file) => existsSync(file) && file !== process.execPath);
}

/** If the machine's Node is too old, the install itself says so in one sentence and leaves nothing behind. */
function installWithOldNode(): void {
  const version = own && spawnSync(own, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const [major = 0, minor = 0] = (version ?? '').replace('v', '').split('.').map(Number);
  if (!own || major > 22 || (major === 22 && minor >= 19)) {
    console.log('not tried       an older Node: this machine has none');
    return;
  }
  // The package without its libraries: it contains the check, and npm needs no registry.
  const folder = join(base, 'package');
  const {
    dependencies: _,
    devDependencies: _dev,
    optionalDependencies: _optional,
    workspaces: _w,
    ...kept
  } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  const { prepare: _prepare, ...scripts } = kept.scripts;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...kept, scripts }));
  begunAt = performance.now();
  const npm = (...args: string[]) => spawnSync('npm', args, { cwd: folder, env: newPlace().env, encoding: 'utf8' });
  const packed = npm('pack', '--silent').stdout.trim();
  const { status, stderr } = npm(
    'install',
    '--global',
    '--offline',
    '--prefix',
    join(base, 'prefix'),
    join(folder, packed),
  );
  const isRefused = status !== 0 && /Bindery needs Node 22\.19 or newer, and this is Node \d/.test(stderr);
  const isLeft = existsSync(join(base, 'prefix', 'bin', 'bindery'));
  told(isRefused && !isLeft, `npm i -g mcp-bindery, with Node ${version}: refused in one sentence`, stderr);
}

/** Writes the policies of a page. */
function writePolicies(page: string, { cwd }: Place): void {
  for (const [, text = ''] of page.matchAll(/```json\n([\s\S]*?)```/g))
    if (text.includes('"allowlist"')) writeFileSync(join(cwd, 'project_mcp.json'), text);
}

/** The commands of a page: its blocks, and the commands in its tables. */
function steps(page: string): string[] {
  const inTables = [...page.matchAll(/^\|.*`(bindery connect [a-z-]+)`.*\|$/gm)].map((match) => match[1] as string);
  return [...new Set([...commandLines(page), ...inTables])];
}

async function walkPage(name: string): Promise<void> {
  console.log(`\n${name}`);
  const page = readFileSync(join(root, name), 'utf8');
  const place = newPlace();
  writePolicies(page, place);
  let gateway: ReturnType<typeof spawn> | undefined;
  try {
    for (const line of steps(page)) {
      if (line === 'bindery up') gateway ??= await startGateway(place);
      else walk(line, place);
    }
  } finally {
    if (gateway) {
      gateway.kill('SIGTERM');
      await once(gateway, 'exit');
    }
  }
}

try {
  installWithOldNode();
  for (const name of PAGES) await walkPage(name);
} finally {
  rmSync(base, { recursive: true, force: true });
}
console.log(failed === 0 ? '\nEvery step works as it is written.' : `\n${failed} steps failed.`);
process.exitCode = failed === 0 ? 0 : 1;
