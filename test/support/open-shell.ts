import { PassThrough } from 'node:stream';
import { Shell } from '../../src/cli/shell/shell.ts';
import type { ServerEntry } from '../../src/host/config/server-entry.ts';
import { type CredentialStore, createHost } from '../../src/host/index.ts';

export interface OpenShellOptions {
  /** A person types, and may be asked to sign in. */
  readonly interactive?: boolean;
  /** There is a browser on this machine. */
  readonly browser?: boolean;
  readonly tokens?: CredentialStore;
}

/** A shell with text streams instead of a terminal. */
export async function openShell(
  servers: Readonly<Record<string, ServerEntry>>,
  { interactive = false, browser = true, tokens }: OpenShellOptions = {},
) {
  const input = new PassThrough();
  const output = new PassThrough().setEncoding('utf8');
  let written = '';
  output.on('data', (text: string) => {
    written += text;
  });
  const shell = new Shell({ input, output, terminal: false, interactive });
  const opened: string[] = [];
  const elicitation = shell.elicitation((url) => opened.push(url) > 0);
  const person = interactive ? shell.signIn(browser ? (url) => void opened.push(url) : undefined) : undefined;
  const host = createHost({
    servers,
    prompt: shell.askPermission,
    callbacks: { elicitation },
    ...(person ? { person } : {}),
    ...(tokens ? { tokens } : {}),
  });
  // A server that waits for a sign-in must not keep the shell from starting.
  if (interactive) await host.start();
  else await host.connect();
  const ended = shell.run(host).finally(() => host.close());
  return {
    shell,
    host,
    ended,
    opened,
    type: (line: string) => void input.write(`${line}\n`),
    end: () => void input.end(),
    /** What was written since the last call, once this stands in it. */
    async until(text: string) {
      while (!written.includes(text)) await new Promise((resolve) => output.once('data', resolve));
      const seen = written;
      written = '';
      return seen;
    },
  };
}
