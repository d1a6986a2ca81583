import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

/**
 * What policy and audit add to a call: CPU of the gateway's process, the part of it on the event loop, and latency, at 1 and 32
 * concurrent calls, and at 8 beside a program that keeps the disk busy. Prints Markdown.
 */
const small = process.argv.includes('--small');
const CALLS = small ? 400 : 4_000;
const ROUNDS = small ? 2 : 5;
const LOADS = [
  { name: '1', concurrency: 1, isDiskBusy: false },
  { name: '32', concurrency: 32, isDiskBusy: false },
  { name: '8, busy disk', concurrency: 8, isDiskBusy: true },
];
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Lists, a limit, and a schema that every call must match. */
const POLICY = {
  allowlist: {
    servers: ['s'],
    tools: { s: ['tool-1', 'tool-2'] },
    operations: {
      'tool-1': {
        rate_per_minute: 100_000_000,
        arguments: { type: 'object', properties: { a: { type: 'string', maxLength: 100 } } },
      },
    },
  },
};
const VARIANTS = [
  { name: 'neither', policy: false, audit: 'false', fsync: false },
  { name: 'policy', policy: true, audit: 'false', fsync: false },
  { name: 'audit', policy: false, audit: 'true', fsync: false },
  { name: 'policy and audit', policy: true, audit: 'true', fsync: false },
  { name: 'audit, fsync', policy: false, audit: 'true', fsync: true },
  { name: 'policy and audit, fsync', policy: true, audit: 'true', fsync: true },
];

const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 's__tool-1',
    arguments: { a: 'b', path: '/tmp/x', api_key: 'secret' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    },
  },
});

interface Sample {
  readonly cpuUs: number;
  readonly loopUs: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

const [upstream, upstreamPort] = await startServer();
const gateways = await Promise.all(VARIANTS.map((variant) => startGateway(variant)));
try {
  for (const gateway of gateways) await measure(gateway, 32, CALLS / 4);
  const rows: string[] = [];
  for (const { name, concurrency, isDiskBusy } of LOADS) {
    const busy = isDiskBusy ? await keepDiskBusy(gateways[0] as Gateway) : undefined;
    const samples = gateways.map(() => [] as Sample[]);
    // In turns, so that a busy machine affects all of them.
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, gateway] of gateways.entries()) {
        samples[index]?.push(await measure(gateway, concurrency, concurrency === 1 ? CALLS / 4 : CALLS));
      }
    }
    busy?.kill('SIGKILL');
    const medians = samples.map(medianSample);
    const base = medians[0] as Sample;
    for (const [index, { cpuUs, loopUs, p50, p95, p99 }] of medians.entries()) {
      const cells = [
        name,
        VARIANTS[index]?.name,
        us(cpuUs),
        added(cpuUs - base.cpuUs),
        us(loopUs),
        ms(p50),
        ms(p95),
        ms(p99),
        added((p50 - base.p50) * 1_000),
      ];
      rows.push(`| ${cells.join(' | ')} |`);
    }
  }
  console.log(
    '| concurrent | with | CPU per call | added | on the event loop | latency p50 | p95 | p99 | added to p50 |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  console.log(rows.join('\n'));
} finally {
  for (const { child, home } of gateways) {
    child.disconnect();
    rmSync(home, { recursive: true, force: true });
  }
  upstream.kill();
}

interface Gateway {
  readonly child: ChildProcess;
  readonly home: string;
  readonly pool: Pool;
}

async function startServer(): Promise<[ChildProcess, number]> {
  const child = spawn(process.execPath, [file('../test/fixtures/servers/bench-server.ts'), 'http', '1', '2026'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return [child, Number(/\d+/.exec(String(line))?.[0])];
}

async function startGateway({ policy, audit, fsync }: (typeof VARIANTS)[number]): Promise<Gateway> {
  const home = mkdtempSync(join(tmpdir(), 'bindery-bench-audit-'));
  const server = { transport: 'http', url: `http://127.0.0.1:${upstreamPort}/mcp`, oauth: false };
  writeFileSync(
    join(home, 'config.json'),
    JSON.stringify({ version: 1, mcp: { servers: { s: server } }, gateway: { audit: { fsync } } }),
  );
  if (policy) writeFileSync(join(home, 'project_mcp.json'), JSON.stringify(POLICY));
  const child = fork(file('./audit/gateway-process.ts'), [home, audit]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const gateway = { child, home, pool: new Pool(`http://127.0.0.1:${port}`, { connections: 32, pipelining: 1 }) };
  for (let attempt = 0; attempt < 200 && !(await call(gateway)).includes('xxx'); attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return gateway;
}

/** Writes beside the files of a gateway, so that it is removed with them. */
async function keepDiskBusy({ home }: Gateway): Promise<ChildProcess> {
  const child = fork(file('./audit/busy-disk.ts'), [join(home, 'busy')]);
  await once(child, 'message');
  return child;
}

async function measure(gateway: Gateway, concurrency: number, calls: number): Promise<Sample> {
  const before = await cpuOf(gateway);
  const latencies: number[] = [];
  let left = calls;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left > 0) {
        left -= 1;
        const begun = process.hrtime.bigint();
        await call(gateway);
        latencies.push(Number(process.hrtime.bigint() - begun) / 1e6);
      }
    }),
  );
  const after = await cpuOf(gateway);
  const perCall = (of: keyof Cpu) => (after[of] - before[of]) / latencies.length;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] as number;
  return { cpuUs: perCall('all'), loopUs: perCall('loop'), p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** Microseconds that the process and its event loop have spent. */
interface Cpu {
  readonly all: number;
  readonly loop: number;
}

async function cpuOf({ child }: Gateway): Promise<Cpu> {
  child.send('cpu');
  const [cpu] = (await once(child, 'message')) as [Record<keyof Cpu, NodeJS.CpuUsage>];
  return { all: cpu.all.user + cpu.all.system, loop: cpu.loop.user + cpu.loop.system };
}

async function call({ pool }: Gateway): Promise<string> {
  const { body } = await pool.request({
    method: 'POST',
    path: '/mcp',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 's__tool-1',
    },
    body: BODY,
  });
  return body.text();
}

function medianSample(samples: readonly Sample[]): Sample {
  const median = (of: (sample: Sample) => number) =>
    samples.map(of).sort((a, b) => a - b)[Math.floor(samples.length / 2)] as number;
  return {
    cpuUs: median(({ cpuUs }) => cpuUs),
    loopUs: median(({ loopUs }) => loopUs),
    p50: median(({ p50 }) => p50),
    p95: median(({ p95 }) => p95),
    p99: median(({ p99 }) => p99),
  };
}

function us(value: number): string {
  return `${value.toFixed(0)} µs`;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function added(value: number): string {
  return `${value >= 0 ? '+' : ''}${us(value)}`;
}
