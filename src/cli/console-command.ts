import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { BinderyError } from '../contract/errors.ts';
import { askGateway } from '../runtime/admin/ask-gateway.ts';
import { directories } from './directories.ts';
import { openBrowser, opensBrowser } from './rooms/host/sign-in-person.ts';
import { findAnnouncement } from './running-gateway.ts';
import type { Terminal } from './terminal.ts';

const TIMEOUT_MS = 10_000;

/** `bindery console`: a new sign-in link of the running gateway. */
export function addConsoleCommand(program: Command, terminal: Terminal): void {
  program
    .command('console')
    .description('Print a link that signs a browser in to the console of the running gateway, and open it.')
    .option('--no-open', 'only print the link')
    .option('--json', 'print the answer, or the problem, as JSON')
    .action(async (flags: { readonly open: boolean; readonly json?: boolean }) => {
      const url = await newConsoleLink(directories(process.env).dataDir);
      await (flags.json ? terminal.document(`${JSON.stringify({ url })}\n`) : terminal.out(`${url}\n`));
      if (flags.open && terminal.isPerson && opensBrowser(process.env)) openBrowser(url);
    });
}

/** A link that signs one browser in to the gateway of this data directory. */
export async function newConsoleLink(dataDir: string): Promise<string> {
  const running = await findAnnouncement(dataDir);
  if (!running) throw new BinderyError('GATEWAY_NOT_RUNNING');
  const token = readFileSync(join(dataDir, 'admin.token'), 'utf8').trim();
  const { status, isOk, text } = await askGateway(`${running.url}/console/link`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { url } = (isOk ? JSON.parse(text) : {}) as { readonly url?: unknown };
  if (typeof url !== 'string') throw new BinderyError('GATEWAY_REFUSED', { detail: `it answered ${status}` });
  return url;
}
