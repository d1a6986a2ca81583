import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { BinderyError } from '../../contract/errors.ts';
import { OutputPromises } from '../../gateway/search/output-promises.ts';
import type { NameResolver } from '../../host/connection/supervision/named-endpoint.ts';
import { createHost } from '../../host/create-host.ts';
import type { ApprovalMode } from '../../host/permissions/permissions.ts';
import { directories } from '../directories.ts';
import { createLog } from '../log.ts';
import { openBrowser, opensBrowser, signInSettings } from '../rooms/host/sign-in-person.ts';
import type { Terminal } from '../terminal.ts';
import { Shell } from './shell.ts';

const MODES: readonly string[] = ['minimal', 'trusted', 'full-access'] satisfies ApprovalMode[];

interface ShellFlags {
  readonly headless?: boolean;
  readonly allow: readonly string[];
  readonly cwd: string;
}

/** `bindery shell`: the host without a model, for a person at a terminal or for a script. */
export function addShellCommand(program: Command, terminal: Terminal, names: NameResolver): void {
  program
    .command('shell')
    .description('Use the MCP servers interactively: states, tools, calls with permission prompts.')
    .option('--headless', 'read lines from stdin and ask nothing; deny what no rule allows')
    .option('--allow <glob>', 'tools that may run, as server/tool (repeatable)', collect, [])
    .option('--cwd <dir>', 'folder of the project', '.')
    .action((flags: ShellFlags) => runShell(flags, terminal, names));
}

async function runShell(flags: ShellFlags, terminal: Terminal, names: NameResolver): Promise<void> {
  const { stdin, stdout, stderr, env } = process;
  if (!flags.headless && !(stdin.isTTY && stdout.isTTY)) throw new BinderyError('TERMINAL_NEEDED');
  const { configFile, dataDir } = directories(env);
  const shell = new Shell({ input: stdin, output: stdout, terminal: !flags.headless, interactive: !flags.headless });
  // At a terminal /mcp shows failures; log lines would only disturb the prompt.
  const log = createLog((line) => stderr.write(line), flags.headless ? 'warn' : 'error');
  const promises = OutputPromises.logged(log);
  const host = createHost({
    config: { file: configFile, projectDir: resolve(flags.cwd) },
    dataDir,
    permissions: { allow: flags.allow },
    mode: approvalMode(env.BINDERY_APPROVAL_MODE),
    outputsDir: join(dataDir, 'outputs'),
    names,
    env,
    log,
    checkOutput: (tool, content) => void promises.isBroken(tool, content),
    ...(flags.headless
      ? {}
      : {
          prompt: shell.askPermission,
          callbacks: { elicitation: shell.elicitation((url) => opensBrowser(env) && openBrowser(url)) },
          person: { ...shell.signIn(opensBrowser(env) ? openBrowser : undefined), ...signInSettings(env) },
        }),
  });
  const leave = () => shell.leave();
  terminal.signal.addEventListener('abort', leave, { once: true });
  try {
    if (flags.headless) await host.connect();
    else await host.start();
    const ok = await shell.run(host);
    terminal.exitCode = ok || !flags.headless ? 0 : 1;
  } finally {
    terminal.signal.removeEventListener('abort', leave);
    await host.close();
  }
}

/** Only from the person's environment: a project must not raise it. */
function approvalMode(text: string | undefined): ApprovalMode {
  if (text === undefined || text === '') return 'minimal';
  if (MODES.includes(text)) return text as ApprovalMode;
  throw new BinderyError('USAGE', { detail: `BINDERY_APPROVAL_MODE is one of ${MODES.join(', ')}` });
}

function collect(value: string, previous: string[]): string[] {
  return [...previous, value];
}
