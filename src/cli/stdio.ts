import type { Command } from 'commander';
import { serveStdio } from '../proxy/stdio-edge.ts';
import { serveGateway } from './gateway/serve-gateway.ts';
import { createLog } from './log.ts';
import { serveRooms } from './serve-rooms.ts';
import type { Terminal } from './terminal.ts';
import { addServingOptions, type UpFlags, upSettings } from './up-settings.ts';

/** `bindery stdio`: the gateway for one client on this process's own streams. */
export function addStdioCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('stdio')
    .description('Serve one MCP client over stdin and stdout.')
    .option('--profile <name>', 'profile of the configuration', 'default');
  addServingOptions(command).action((flags: UpFlags & { profile: string }) => runStdio(flags, terminal));
}

async function runStdio(flags: UpFlags & { profile: string }, terminal: Terminal): Promise<void> {
  const settings = upSettings(
    flags,
    createLog((line) => process.stderr.write(line), 'warn'),
    () => 'http://127.0.0.1',
  );
  const served = await serveRooms(settings);
  const gateway = await serveGateway(settings, served);
  try {
    const { runtime } = gateway;
    runtime.gateway.view(flags.profile);
    const stop = () => process.stdin.destroy();
    terminal.signal.addEventListener('abort', stop, { once: true });
    process.once('SIGTERM', stop);
    await serveStdio({
      gateway: runtime.gateway,
      feed: runtime.feed,
      log: settings.log,
      profile: flags.profile,
      input: process.stdin,
      output: process.stdout,
    });
  } finally {
    await gateway.close();
    for (const room of served) await room.close();
  }
}
