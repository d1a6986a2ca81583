import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import type { ConfigStore } from '../../host/config/config-store.ts';
import type { ConfiguredServer } from '../../host/config/configured-servers.ts';
import { expandEnv } from '../../host/config/expand-env.ts';
import { missingProgram } from '../../host/config/missing-program.ts';
import { findGateway } from '../rooms/host/gateway-client.ts';
import { ok, type SetUp, trouble } from './finding.ts';

/** Servers that fail and why: by the gateway that runs, else by what can be seen without starting them. */
export async function checkServers(setUp: SetUp, config: ConfigStore): Promise<Diagnosis[]> {
  const gateway = setUp.running === undefined ? undefined : await findGateway(setUp.dataDir);
  if (gateway) {
    const { items } = await gateway.servers();
    const failing = items.filter(({ state }) => state === 'error' || state === 'auth_required');
    if (failing.length === 0) return [ok('servers', `${items.length} known to the gateway`)];
    return failing.map(({ id, state, reason }) =>
      state === 'auth_required'
        ? trouble('error', 'servers', `${id} asks for a sign-in`, `Sign in: \`bindery mcp auth login ${id}\`.`)
        : trouble('error', 'servers', `${id}: ${reason ?? 'it failed'}`, `Its last lines: \`bindery mcp logs ${id}\`.`),
    );
  }
  const { servers } = await config.load();
  const findings = servers
    .filter(({ entry, enabled }) => entry && enabled)
    .flatMap((server) => checkStart(server, setUp));
  return findings.length > 0 ? findings : [ok('servers', 'their programs are there')];
}

function checkStart({ id, entry }: ConfiguredServer, { machine, cwd }: SetUp): Diagnosis[] {
  if (!entry) return [];
  const expanded = expandEnv(entry, machine.env);
  if ('reason' in expanded) {
    return [trouble('error', 'servers', `${id}: ${expanded.reason}`, 'Set it where `bindery up` is started.')];
  }
  const { command } = expanded.entry;
  const missing = command === undefined ? undefined : missingProgram(command, { path: machine.env.PATH ?? '', cwd });
  if (missing === undefined) return [];
  return [trouble('error', 'servers', `${id}: ${missing.what}`, missing.remedy)];
}
