import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { createHome, startBindery, untilKnown } from '../support/running-bindery.ts';

const suite = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'));
const fixture = fileURLToPath(new URL('../fixtures/servers/conformance-server.ts', import.meta.url));

export interface ServerScenarios {
  readonly scored: readonly string[];
  readonly unscored: readonly string[];
}

/** The server scenarios of a revision, as the suite names them. */
export async function serverScenarios(revision: string): Promise<ServerScenarios> {
  const required: {
    readonly server: readonly string[];
    readonly not_scored: readonly { readonly scenario: string; readonly leg: string }[];
  } = parse(await readFile(join(suite, 'requirements', `${revision}.yaml`), 'utf8'));
  return {
    scored: required.server,
    unscored: required.not_scored.filter(({ leg }) => leg === 'server').map(({ scenario }) => scenario),
  };
}

export interface ConformanceFixture {
  readonly url: string;
  readonly process: ChildProcess;
}

/** The project's own server of a revision, in a process of its own. */
export async function startConformanceFixture(revision: string): Promise<ConformanceFixture> {
  const child = spawn(process.execPath, [fixture, revision], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return { url: String(url), process: child };
}

/** `bindery up` with that server alone behind the bare profile `conformance`; the URL of the profile. */
export async function startBareBindery(server: string) {
  const home = await createHome({
    mcp: { servers: { fixture: { transport: 'http', url: server } } },
    gateway: { profiles: { conformance: { names: 'bare', servers: ['fixture'] } } },
  });
  const bindery = await startBindery(home);
  await untilKnown(bindery, 'fixture');
  return {
    url: `${bindery.mcpUrl}/conformance`,
    bindery,
    stop: async () => {
      await bindery.stop();
      await home.remove();
    },
  };
}

/** Runs every server scenario of a revision against an address: scenario → whether all its checks passed. */
export async function runServerSuite(url: string, revision: string): Promise<ReadonlyMap<string, boolean>> {
  const results = await mkdtemp(join(tmpdir(), 'bindery-conformance-'));
  const args = [join(suite, 'dist/index.js'), 'server', '--url', url, '--requirements', revision, '-o', results];
  try {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(child, 'close');
    const output = Buffer.concat(chunks).toString('utf8');
    const summary = output.slice(output.indexOf('=== SUMMARY ==='));
    return new Map(
      [...summary.matchAll(/^([✓✗]) ([\w./-]+): \d+ passed/gm)].map(([, mark, scenario]) => [
        scenario ?? '',
        mark === '✓',
      ]),
    );
  } finally {
    await rm(results, { recursive: true });
  }
}
