import { join } from 'node:path';
import { didYouMean } from '../../contract/nearest-word.ts';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import type { ConfigStore } from '../../host/config/config-store.ts';
import { gatewaySettings } from '../../host/config/gateway-settings.ts';
import { TrustStore, untrustedReason } from '../../host/trust/trust-store.ts';
import { findGateway } from '../rooms/host/gateway-client.ts';
import type { Announcement } from '../running-gateway.ts';
import { knownServers } from './check-files.ts';
import { checkStart } from './check-start.ts';
import { ok, type SetUp, trouble } from './finding.ts';
import { remedyOf, tryServer } from './try-server.ts';

/** Failing servers, as the running gateway reports them; without one, starts each server once, all in parallel. */
export async function checkServers(setUp: SetUp, config: ConfigStore): Promise<Diagnosis[]> {
  const { servers } = await config.load();
  const gateway = setUp.running === undefined ? undefined : await findGateway(setUp.dataDir);
  if (gateway) {
    const { items } = await gateway.servers();
    // The config check already reports invalid entries.
    const invalid = new Set(servers.filter(({ reason }) => reason !== undefined).map(({ id }) => id));
    const findings = (items as unknown as RunningServer[])
      .filter(({ id }) => !invalid.has(id))
      .flatMap((one) => checkRunning(one, servers.find(({ id }) => id === one.id)?.file));
    return findings.length > 0 ? findings : [ok('servers', `${items.length} known to the gateway`)];
  }
  const trust = new TrustStore(join(setUp.configDir, 'trust.json'), setUp.cwd, { now: Date.now });
  const trusted = await trust.list().catch(() => []);
  const enabled = servers.filter((server) => server.entry && server.enabled);
  const findings = await Promise.all(
    enabled.map(async (server) => {
      const reason = untrustedReason(server, trusted);
      if (reason !== undefined) return [untrusted(server.id, reason)];
      const missing = checkStart(server, setUp);
      return missing.length > 0 || !setUp.probe ? missing : tryServer(server, setUp.probe);
    }),
  );
  const troubles = findings.flat();
  if (troubles.length > 0) return troubles;
  if (enabled.length === 0) return [ok('servers', 'none is configured')];
  return [ok('servers', setUp.probe ? `${enabled.length} tried: all of them answer` : 'their programs are there')];
}

/** The gateway's own readiness and warnings. */
export async function checkReadiness(running: Announcement | undefined): Promise<Diagnosis[]> {
  if (!running) return [];
  const response = await fetch(`${running.url}/readyz`, { signal: AbortSignal.timeout(READY_MS) }).catch(
    () => undefined,
  );
  if (!response) {
    return [
      trouble(
        'error',
        'gateway',
        `process ${running.pid} does not answer at ${running.url}`,
        `Stop it with \`bindery stop\`, and start it again.`,
      ),
    ];
  }
  const { reasons = [], warnings = [] } = (await response.json().catch(() => ({}))) as {
    readonly reasons?: readonly string[];
    readonly warnings?: readonly string[];
  };
  return [
    ...reasons.map((reason) => trouble('error', 'gateway', `it is not ready: ${reason}`, READY_REMEDY)),
    // The policy check already reports policy files.
    ...warnings
      .filter((text) => !/ policy: /.test(text))
      .map((text) => trouble('warning', 'gateway', text, READY_REMEDY)),
  ];
}

const READY_MS = 10_000;
const READY_REMEDY = 'Read the log of the gateway: it says since when and why.';

/** The gateway's report on a server. */
interface RunningServer {
  readonly id: string;
  readonly transport: string | null;
  readonly state: string;
  readonly reason: string | null;
}

function checkRunning({ id, transport, state, reason }: RunningServer, file: string | undefined): Diagnosis[] {
  const remedy = () => remedyOf({ id, file }, transport, reason ?? '');
  if (state === 'disabled' && reason?.startsWith('untrusted')) return [untrusted(id, reason)];
  if (state === 'auth_required')
    return [trouble('error', 'servers', `${id} asks for a sign-in`, `Sign in: \`bindery mcp auth login ${id}\`.`)];
  if (state === 'error') return [trouble('error', 'servers', `${id}: ${reason ?? 'it failed'}`, remedy())];
  // A server in its first start has no reason yet.
  if (state === 'connecting' && reason)
    return [trouble('warning', 'servers', `${id} is connecting: ${reason}`, remedy())];
  return [];
}

function untrusted(id: string, reason: string): Diagnosis {
  const remedy = `See what it starts with \`bindery mcp trust --list\`, then: \`bindery mcp trust ${id}\`.`;
  return trouble('warning', 'servers', `${id} does not start: ${reason.replace(/;.*/, '')}`, remedy);
}

/** Servers that a profile names and that do not exist: the profile shows less than it was meant to. */
export async function checkProfiles(registryFile: string, config: ConfigStore): Promise<Diagnosis[]> {
  const { layers, servers } = await config.load();
  const named = Object.entries(gatewaySettings(layers).settings.profiles).flatMap(([profile, settings]) =>
    (settings.servers ?? []).map((server) => ({ profile, server })),
  );
  if (named.length === 0) return [];
  const known = knownServers(servers, registryFile);
  return named
    .filter(({ server }) => !known.has(server))
    .map(({ profile, server }) => {
      const message = `gateway.profiles.${profile}.servers: no server is called ${server}`;
      const remedy = `Add it with \`bindery mcp add ${server}\`, or take it out.`;
      return trouble('warning', 'config', message, didYouMean(server, known.keys()) || remedy);
    });
}
