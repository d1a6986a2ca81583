import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BinderyError } from '../../contract/errors.ts';
import { UP_LIMITS } from '../../runtime/limits.ts';
import { type GatewayProgram, untilServing } from './start-gateway.ts';

const UNIT = 'bindery.service';
const execute = promisify(execFile);

/** Whether systemd runs services of this user. */
export async function hasUserServices(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  return systemctl('show-environment').then(
    () => true,
    () => false,
  );
}

export function unitFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'systemd', 'user', UNIT);
}

/** The unit of the gateway, with the PATH of the person who set it up, so that servers find their programs. */
export function unitText({ command, args, env }: GatewayProgram): string {
  const kept = ['PATH', 'BINDERY_CONFIG_PATH', 'BINDERY_DATA_DIR', 'BINDERY_LAYOUT'].flatMap((name) =>
    env[name] ? [`Environment=${word(`${name}=${env[name]}`)}`] : [],
  );
  return [
    '[Unit]',
    'Description=Bindery, one MCP endpoint for all MCP servers',
    '',
    '[Service]',
    `ExecStart=${[command, ...args].map((argument) => word(argument).replaceAll('$', '$$$$')).join(' ')}`,
    ...kept,
    'Restart=on-failure',
    'TimeoutStopSec=30',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

/** Starts the service now and at each login. Resolves with its process id when it serves. */
export async function startService(program: GatewayProgram): Promise<number> {
  try {
    await systemctl('daemon-reload');
    await systemctl('enable', '--now', UNIT);
  } catch (cause) {
    throw new BinderyError('GATEWAY_NOT_STARTED', { detail: reasonOf(cause), cause });
  }
  const pid = await untilServing(program, () => undefined);
  if (pid !== undefined) return pid;
  throw new BinderyError('GATEWAY_NOT_STARTED', {
    detail: 'the service did not serve in time',
    next: `Read \`journalctl --user -u ${UNIT}\`; \`bindery restore\` undoes the set-up.`,
  });
}

/** Stops and disables the service. The caller removes its unit afterwards by restoring files. */
export async function removeService(): Promise<void> {
  await systemctl('disable', '--now', UNIT).catch((cause: unknown) => {
    throw new BinderyError('GATEWAY_NOT_STOPPED', { detail: reasonOf(cause), cause });
  });
}

function systemctl(...args: string[]): Promise<unknown> {
  return execute('systemctl', ['--user', ...args], { timeout: UP_LIMITS.startMs });
}

function reasonOf(thrown: unknown): string {
  const { stderr, message } = thrown as { readonly stderr?: string; readonly message: string };
  return stderr?.trim() || message;
}

/** One word of a unit file: quoted, with systemd's special characters escaped. */
function word(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}
