import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Subject } from './load.ts';
import { family, freePort, startSilently } from './processes.ts';
import { initialize, post, UPSTREAM } from './subjects.ts';

/** Programs of others that put a stdio server behind Streamable HTTP: their package, and how they are started. */
const PEERS: readonly { name: string; bin: string; args(port: number): string[] }[] = [
  {
    name: 'mcp-proxy',
    bin: 'node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs',
    args: (port) => ['--port', String(port), '--server', 'stream', '--', process.execPath, UPSTREAM, '--stdio'],
  },
  {
    name: 'supergateway',
    bin: 'node_modules/supergateway/dist/index.js',
    args: (port) => [
      '--stdio',
      `${process.execPath} ${UPSTREAM} --stdio`,
      '--outputTransport',
      'streamableHttp',
      '--stateful',
      '--port',
      String(port),
      '--streamableHttpPath',
      '/mcp',
      '--logLevel',
      'none',
    ],
  },
];

/** Installs the peers below a folder of the machine's temporary ones; one that cannot be had or does not start is left out. */
export async function peers(folder: string): Promise<Subject[]> {
  const home = join(folder, 'peers');
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{"private":true}');
  const found: Subject[] = [];
  for (const { name, bin, args } of PEERS) {
    try {
      execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', name], { cwd: home, stdio: 'ignore' });
      const port = await freePort();
      const pid = await startSilently(process.execPath, [join(home, bin), ...args(port)], port);
      found.push(await subjectOf(name, `http://127.0.0.1:${port}/mcp`, pid));
    } catch (error) {
      console.log(`${name} is not measured: ${(error as Error).message.split('\n')[0]}\n`);
    }
  }
  return found;
}

async function subjectOf(name: string, url: string, pid: number): Promise<Subject> {
  const session = await initialize(url);
  const headers: Record<string, string> = session === undefined ? {} : { 'mcp-session-id': session };
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  return {
    name,
    pids: () => family(pid, (command) => !command.includes('--stdio')),
    route: ({ upstream, tool }) => (upstream === 'stdio' ? { url, tool, headers } : undefined),
  };
}
