import { BinderyError } from '../../contract/errors.ts';
import type { ConfiguredServer } from '../../host/config/configured-servers.ts';
import type { GatewaySettings } from '../../host/config/gateway-settings.ts';
import { serversDirIn } from '../../host/config/launch-place.ts';
import { checkServerEntry } from '../../host/config/server-entry.ts';
import { toServerSpec } from '../../host/config/to-server-spec.ts';
import type { ServerSpec } from '../../host/connection/supervision/server-set.ts';
import type { RegisteredServer, ServerManifest } from '../../store/registry/registered-servers.ts';

/** A configured server, and whether it may be connected. */
export interface EffectiveServer {
  readonly configured: ConfiguredServer;
  readonly spec: ServerSpec | undefined;
  /** Why it is not connected; undefined if it may be. */
  readonly reason: string | undefined;
  readonly state: 'disabled' | 'error' | undefined;
  /** Whether a changed definition is held until a person accepts it. */
  readonly isPinned: boolean;
  /** Whether nothing of it is usable until a person has accepted it. */
  readonly isQuarantined: boolean;
  /** The manifest, if the server registered itself and is in no file. */
  readonly manifest?: ServerManifest;
  readonly registration?: string;
}

/** Further input for the decision whether and how a server is connected. */
export interface ServerContext {
  readonly configFile: string;
  readonly projectDir: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly settings: GatewaySettings;
}

/** A server of a config file. Only the person's own file can exempt it from quarantine: the merged entry of a project never does. */
export function configuredServer(
  configured: ConfiguredServer,
  isTrusted: boolean,
  context: ServerContext,
): EffectiveServer {
  const { entry } = configured;
  const { pin_definitions, quarantine } = context.settings;
  const isPinned = pin_definitions || entry?.pin_definitions === true;
  const isQuarantined = entry?.quarantine === 'on' || (quarantine === 'on' && entry?.quarantine !== 'off');
  return { configured, isPinned, isQuarantined, ...connectable(configured, isTrusted, context) };
}

/** A server that registered itself. Unless an admin registered it, only public addresses are dialled. */
export function registeredServer(
  { manifest, enabled, isByAdmin, registration }: RegisteredServer,
  context: ServerContext,
): EffectiveServer {
  const { name, endpoint, transport, health_check } = manifest;
  const raw = { transport, url: endpoint, enabled, ...(health_check === undefined ? {} : { health_check }) };
  const configured: ConfiguredServer = {
    id: name,
    source: 'global',
    file: context.configFile,
    transport,
    enabled,
    ...checkServerEntry(name, raw),
    raw,
  };
  const { pin_definitions: isPinned, quarantine } = context.settings;
  const { spec, reason, state } = connectable(configured, true, context);
  const isLimited = spec !== undefined && spec.transport !== 'stdio' && !isByAdmin;
  return {
    configured,
    isPinned,
    isQuarantined: quarantine !== 'off',
    spec: isLimited ? { ...spec, publicOnly: true } : spec,
    reason,
    state,
    manifest,
    registration,
  };
}

/** A server to test before it is in the config. Throws `SERVER_INVALID`. */
export function triedServer(id: string, raw: Readonly<Record<string, unknown>>, context: ServerContext) {
  const transport = raw.transport as ServerManifest['transport'];
  const where = { id, source: 'global' as const, file: context.configFile, transport, enabled: true };
  const configured: ConfiguredServer = { ...where, ...checkServerEntry(id, raw), raw };
  const { spec, reason } = connectable(configured, true, context);
  if (!spec) throw new BinderyError('SERVER_INVALID', { detail: reason ?? 'it is not valid' });
  return { configured, spec };
}

/** The connection settings of a server, or why it is not connected. */
function connectable(
  configured: ConfiguredServer,
  isTrusted: boolean,
  { env, projectDir, dataDir }: ServerContext,
): { spec: EffectiveServer['spec']; reason: EffectiveServer['reason']; state: EffectiveServer['state'] } {
  const { entry, reason: invalid } = configured;
  if (invalid !== undefined) return { spec: undefined, reason: invalid, state: 'error' };
  if (!entry || !configured.enabled) return { spec: undefined, reason: 'disabled', state: 'disabled' };
  if (!isTrusted) return { spec: undefined, reason: 'untrusted', state: 'disabled' };
  const place = { env, projectDir, serversDir: serversDirIn(dataDir) };
  const { spec, reason } = toServerSpec({ ...configured, entry }, place);
  return { spec, reason, state: spec ? undefined : 'error' };
}

/** A server's address for the registry: no arguments, since they may hold secrets. */
export function endpointOf(server: EffectiveServer | undefined): string {
  const entry = server?.configured.entry;
  return entry?.url ?? entry?.identity ?? `stdio:${entry?.command ?? ''}`;
}
