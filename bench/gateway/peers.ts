import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Load, Subject } from './load.ts';
import { family, freePort, startSilently } from './processes.ts';
import { initialize, post, UPSTREAM } from './subjects.ts';

interface Peer {
  readonly name: string;
  /** Its arguments, relative to the folder where it was installed. */
  args(home: string, port: number, upstreamUrl: string): string[];
  /** The name of a load's tool behind it; undefined if it does not support such a server. */
  tool(load: Load): string | undefined;
}

/**
 * Other gateways that clients reach by Streamable HTTP. Two of them serve one stdio server. mcp-hub is not among them: its
 * endpoint for MCP clients (4.2.1) has only the transport of 2024, a standing stream, which this load does not support.
 */
const PEERS: readonly Peer[] = [
  {
    name: 'mcp-proxy',
    args: (home, port) => [
      join(home, 'node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs'),
      ...['--port', String(port), '--server', 'stream', '--', process.execPath, UPSTREAM, '--stdio'],
    ],
    tool: ({ upstream, tool }) => (upstream === 'stdio' ? tool : undefined),
  },
  {
    name: 'supergateway',
    args: (home, port) => [
      join(home, 'node_modules/supergateway/dist/index.js'),
      ...['--stdio', `${process.execPath} ${UPSTREAM} --stdio`, '--outputTransport', 'streamableHttp', '--stateful'],
      ...['--port', String(port), '--streamableHttpPath', '/mcp', '--logLevel', 'none'],
    ],
    tool: ({ upstream, tool }) => (upstream === 'stdio' ? tool : undefined),
  },
  {
    name: 'mcp-use',
    args: (home, port, upstreamUrl) => [
      join(import.meta.dirname, 'mcp-use-proxy.ts'),
      String(port),
      join(home, 'node_modules/mcp-use/dist/index-node.js'),
      upstreamUrl,
    ],
    tool: ({ upstream, tool }) => (upstream === 'json' ? `json_${tool}` : undefined),
  },
];

/** Installs the peers below a temporary folder; leaves out those that cannot be installed or started. */
export async function peers(folder: string, upstreamUrl: string): Promise<Subject[]> {
  const home = join(folder, 'peers');
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{"private":true}');
  // npm installs the newest version that its own Node can run, so it gets the Node of this process.
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };
  const found: Subject[] = [];
  for (const peer of PEERS) {
    try {
      // Without install scripts: the benchmark does not need what they build.
      const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', peer.name];
      execFileSync('npm', install, { cwd: home, env, stdio: 'ignore' });
      const port = await freePort();
      const pid = await startSilently(process.execPath, peer.args(home, port, upstreamUrl), port);
      const manifest = readFileSync(join(home, 'node_modules', peer.name, 'package.json'), 'utf8');
      const { version } = JSON.parse(manifest) as { version: string };
      found.push(await subjectOf(peer, version, `http://127.0.0.1:${port}/mcp`, pid));
    } catch (error) {
      console.log(`${peer.name} is not measured: ${(error as Error).message.split('\n')[0]}\n`);
    }
  }
  return found;
}

async function subjectOf(peer: Peer, version: string, url: string, pid: number): Promise<Subject> {
  const session = await initialize(url);
  const headers: Record<string, string> = session === undefined ? {} : { 'mcp-session-id': session };
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  return {
    name: `${peer.name} ${version}`,
    pids: () => family(pid, (command) => !command.includes('--stdio')),
    route: (load) => {
      const tool = peer.tool(load);
      return tool === undefined ? undefined : { url, tool, headers };
    },
  };
}
