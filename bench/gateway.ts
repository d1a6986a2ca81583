import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Load, type Measured, residentMb, run, type Subject } from './gateway/load.ts';

/**
 * What a call costs through the gateway, beside the same call made directly, through nginx and through a gateway written
 * with the SDK; policy and audit are on. `--small` runs a tenth of the calls.
 */
const small = process.argv.includes('--small');
const scale = small ? 0.1 : 1;
const ROUNDS = small ? 1 : 3;
const LOADS: readonly Load[] = [
  { name: 'one at a time', tool: 'echo', concurrency: 1, calls: Math.round(3_000 * scale) },
  { name: '32 concurrent', tool: 'echo', concurrency: 32, calls: Math.round(20_000 * scale) },
  { name: '32 concurrent, 64 KiB answers', tool: 'large', concurrency: 32, calls: Math.round(4_000 * scale) },
];

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-'));
const children: ChildProcess[] = [];

try {
  const upstream = await start(process.execPath, [join(here, 'gateway', 'upstream.ts')]);
  const subjects = [
    direct(upstream.url),
    ...(await nginx(upstream.url)),
    await bindery(upstream.url),
    await sdkGateway(upstream.url),
  ];
  const table = new Map<string, Measured[]>();
  for (const load of LOADS) {
    // One small load first: what is compiled and connected on first use is not what is measured.
    for (const subject of subjects) await run(subject, { ...load, calls: Math.min(load.calls, 500) });
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const subject of subjects) {
        const key = `${load.name}\n${subject.name}`;
        table.set(key, [...(table.get(key) ?? []), await run(subject, load)]);
      }
    }
  }
  report(subjects, table);
} finally {
  for (const child of children) child.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

function report(subjects: readonly Subject[], table: ReadonlyMap<string, readonly Measured[]>): void {
  console.log(
    `Machine: ${cpus().length} × ${cpus()[0]?.model}, Node ${process.versions.node}; median of ${ROUNDS} rounds, interleaved.\n`,
  );
  console.log(
    '| load | through | calls/s | of direct | p50 ms | p95 ms | p99 ms | CPU µs/call |\n|---|---|--:|--:|--:|--:|--:|--:|',
  );
  for (const load of LOADS) {
    const base = median(table.get(`${load.name}\n${subjects[0]?.name}`) ?? []);
    for (const subject of subjects) {
      const measured = median(table.get(`${load.name}\n${subject.name}`) ?? []);
      const share = `${Math.round((100 * measured.callsPerSecond) / base.callsPerSecond)} %`;
      const cpu = measured.cpuUs === undefined ? '' : Math.round(measured.cpuUs);
      console.log(
        `| ${load.name} | ${subject.name} | ${Math.round(measured.callsPerSecond)} | ${share} | ${ms(measured.p50)} | ${ms(measured.p95)} | ${ms(measured.p99)} | ${cpu} |`,
      );
    }
  }
  const resident = subjects.flatMap(({ name, pid }) =>
    pid === undefined ? [] : [`${name} ${Math.round(residentMb(pid) ?? 0)} MB`],
  );
  console.log(`\nResident memory afterwards: ${resident.join(', ')}.`);
}

function median(rounds: readonly Measured[]): Measured {
  const sorted = [...rounds].sort((a, b) => a.callsPerSecond - b.callsPerSecond);
  return sorted[Math.floor(sorted.length / 2)] as Measured;
}

function ms(value: number): string {
  return value.toFixed(2);
}

function direct(url: string): Subject {
  return { name: 'direct', url, tool: (tool) => tool, headers: {}, pid: undefined };
}

/** Bindery with a policy that is looked at, one session, its audit log on disk. */
async function bindery(upstreamUrl: string): Promise<Subject> {
  const home = join(folder, 'home');
  mkdirSync(join(home, '.bindery'), { recursive: true });
  const config = {
    version: 1,
    mcp: { servers: { up: { transport: 'http', url: upstreamUrl } } },
    gateway: { exposure: 'all' },
  };
  writeFileSync(join(home, '.bindery', 'config.json'), JSON.stringify(config));
  writeFileSync(
    join(home, '.bindery', 'project_mcp.json'),
    JSON.stringify({ version: '1.0', allowlist: { servers: ['up'], tools: { up: ['echo', 'large'] } } }),
  );
  const child = await start(
    process.execPath,
    [join(here, '..', 'bin', 'bindery.js'), 'up', '--port', '0', '--json', '--cwd', folder],
    { HOME: home },
  );
  const url = `${child.url}/mcp`;
  const headers = { 'mcp-session-id': await initialize(url) };
  await untilListed(url, headers);
  return { name: 'Bindery, policy and audit on', url, tool: (tool) => `up__${tool}`, headers, pid: child.pid };
}

async function sdkGateway(upstreamUrl: string): Promise<Subject> {
  const child = await start(process.execPath, [join(here, 'gateway', 'sdk-gateway.ts'), upstreamUrl]);
  return {
    name: 'gateway written with the SDK',
    url: child.url,
    tool: (tool) => `up__${tool}`,
    headers: {},
    pid: child.pid,
  };
}

async function nginx(upstreamUrl: string): Promise<Subject[]> {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
  } catch {
    console.log('nginx is not installed, so it is not measured (apt-get install nginx-light).\n');
    return [];
  }
  const port = await freePort();
  const { host } = new URL(upstreamUrl);
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
events { worker_connections 1024; }
http { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream up { server ${host}; keepalive 64; }
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffers 16 64k; proxy_buffer_size 64k; } } }`,
  );
  const child = spawn('nginx', ['-c', file], { stdio: 'ignore' });
  children.push(child);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const workers = execFileSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return [
    { name: 'nginx', url: `http://127.0.0.1:${port}/mcp`, tool: (tool) => tool, headers: {}, pid: Number(workers[0]) },
  ];
}

/** Starts a program and reads the address from its first line. */
async function start(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ url: string; pid: number }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  children.push(child);
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}`)));
  });
  return { url: (JSON.parse(line) as { url: string }).url, pid: child.pid as number };
}

async function initialize(url: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const response = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  return response.headers.get('mcp-session-id') as string;
}

async function untilListed(url: string, headers: Record<string, string>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const text = await (await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)).text();
    if (text.includes('up__echo')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the gateway never listed the tools');
}

function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const accept = 'application/json, text/event-stream';
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify(body),
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}
