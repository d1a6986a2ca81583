import { lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { projectConfigFile } from '../host/config/config-store.ts';
import { serveStdio } from '../proxy/stdio/stdio-edge.ts';
import { UP_LIMITS } from '../runtime/limits.ts';
import { policyLines } from '../runtime/policy/policy-report.ts';
import { serveGateway } from '../runtime/serve-gateway.ts';
import type { UpFlags, UpSettings } from '../runtime/up-settings.ts';
import { createLog } from './log.ts';
import { findGateway } from './rooms/host/gateway-client.ts';
import { nameResolverOf } from './rooms/name-resolver.ts';
import { findAnnouncement } from './running-gateway.ts';
import { serveRooms } from './serve-rooms.ts';
import { bridgeStdio } from './stdio-bridge.ts';
import type { Terminal } from './terminal.ts';
import { addServingOptions, upSettings } from './up-settings.ts';

type StdioFlags = UpFlags & { readonly profile: string };

/** `bindery stdio`: the gateway for one client on this process's own streams. */
export function addStdioCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('stdio')
    .description('Serve one MCP client over stdin and stdout, through the running gateway if there is one.')
    .option('--profile <name>', 'profile of the configuration', 'default');
  addServingOptions(command).action((flags: StdioFlags) => runStdio(flags, terminal, hasServingFlags(command)));
}

async function runStdio(flags: StdioFlags, terminal: Terminal, alone: boolean): Promise<void> {
  const settings = upSettings(
    flags,
    createLog((line) => process.stderr.write(line), 'warn'),
    () => 'http://127.0.0.1',
  );
  const client = clientOfProcess(terminal.signal);
  const url = alone ? undefined : await runningGateway(settings);
  if (url === undefined) return serveAlone(flags, settings, client, terminal);
  const token = await readFile(join(settings.dataDir, 'admin.token'), 'utf8').catch(() => undefined);
  await bridgeStdio({
    url: new URL(flags.profile === 'default' ? '/mcp' : `/mcp/${encodeURIComponent(flags.profile)}`, url),
    authorization: token && `Bearer ${token.trim()}`,
    ...client,
  });
}

/** Serves the client on this process's streams until the client leaves or the process is asked to stop. */
function clientOfProcess(interrupted: AbortSignal) {
  const { stdin, stdout } = process;
  const ended = new AbortController();
  const stop = () => {
    stdin.destroy();
    setTimeout(() => ended.abort(), UP_LIMITS.drainMs).unref();
  };
  interrupted.addEventListener('abort', stop, { once: true });
  process.on('SIGTERM', stop);
  stdout.on('error', () => {
    stdin.destroy();
    ended.abort();
  });
  return { input: stdin, output: stdout, ended: ended.signal };
}

async function serveAlone(
  flags: StdioFlags,
  settings: UpSettings,
  client: ReturnType<typeof clientOfProcess>,
  terminal: Terminal,
): Promise<void> {
  const served = await serveRooms(settings);
  const isAlone = (await findAnnouncement(settings.dataDir)) === undefined;
  const gateway = await serveGateway(settings, served, { names: nameResolverOf(served), ownsRegistry: isAlone });
  try {
    for (const line of policyLines(gateway.policy())) await terminal.note(`${line}\n`);
    const { runtime } = gateway;
    runtime.gateway.views.view(flags.profile);
    await serveStdio({
      gateway: runtime.gateway,
      feed: runtime.feed,
      log: settings.log,
      profile: flags.profile,
      ...client,
    });
  } finally {
    await gateway.close();
    for (const room of served) await room.close();
  }
}

/** The gateway of this data directory, unless this folder has its own policy or servers that the gateway does not know. */
async function runningGateway({ dataDir, configDir, cwd }: UpSettings): Promise<string | undefined> {
  const announced = await findAnnouncement(dataDir);
  if (!announced || !(await findGateway(dataDir))) return undefined;
  const own = [projectConfigFile(cwd), join(cwd, 'project_mcp.json')];
  const isProject = own.some((file) => dirname(file) !== configDir && mayExist(file));
  return isProject && announced.cwd !== cwd ? undefined : announced.url;
}

/** Dangling links and unreadable files count as existing: they may be meant as rules. */
function mayExist(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Flags that change what is served, or by which rules, do not apply to a gateway that is already running. */
function hasServingFlags(command: Command): boolean {
  const own = command.options
    .map((option) => option.attributeName())
    .filter((name) => !['profile', 'cwd'].includes(name));
  return own.some((name) => command.getOptionValueSource(name) === 'cli');
}
