import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { findNodeAtLocation } from 'jsonc-parser';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import { lintPolicy } from '../../gateway/policy/lint-policy.ts';
import { type ConfigLayer, parseConfigText } from '../../host/config/config-layer.ts';
import type { ConfigStore } from '../../host/config/config-store.ts';
import type { ConfiguredServer } from '../../host/config/configured-servers.ts';
import { gatewaySettings } from '../../host/config/gateway-settings.ts';
import { HostRedactor } from '../../host/redact/host-redactor.ts';
import { configuredTokens } from '../../host/redact/observed-tokens.ts';
import { BUILTIN_SERVERS } from '../../runtime/catalogue/builtin-server.ts';
import { knownTools } from '../../runtime/policy/lint-policy-files.ts';
import { policyPaths } from '../../runtime/policy/policy-in-force.ts';
import { approvalPlaces } from '../../runtime/policy/policy-status.ts';
import { openDatabase } from '../../store/open-database.ts';
import { PolicyVersions } from '../../store/policy/policy-versions.ts';
import { readPolicy } from '../../store/policy/read-policy.ts';
import { RegistryStore } from '../../store/registry/registry-store.ts';
import { unusedFiles } from '../unused-files.ts';
import { checkSettings, lineAt } from './check-settings.ts';
import { ok, type SetUp, trouble, unreadable } from './finding.ts';

/** Problems of the config files, and of each server in them. */
export async function checkConfig(config: ConfigStore): Promise<Diagnosis[]> {
  const { layers, servers } = await config.load();
  const findings = [
    ...layers.flatMap(checkLayer),
    ...layers.filter(({ scope }) => scope === 'global').flatMap(checkSettings),
    ...ignoredOfProject(layers),
    ...servers.flatMap((server) => checkEntry(server, layers)),
  ];
  const count = `${servers.length} ${servers.length === 1 ? 'server' : 'servers'}`;
  return findings.length > 0 ? findings : [ok('config', `${count} configured`)];
}

function checkLayer({ file, error, warnings }: ConfigLayer): Diagnosis[] {
  const remedy = 'Correct the file there; comments and trailing commas are allowed.';
  if (error !== undefined)
    return [trouble('error', 'config', `${file}: ${error}`, /^it /.test(error) ? unreadable(file, error) : remedy)];
  return warnings.map((warning) => trouble('warning', 'config', `${file}: ${warning}`, remedy));
}

function ignoredOfProject(layers: readonly ConfigLayer[]): Diagnosis[] {
  const file = layers.find(({ scope }) => scope === 'project')?.file;
  return gatewaySettings(layers)
    .warnings.filter((warning) => warning.includes(' of the project config'))
    .map((warning) => trouble('warning', 'config', warning, `See ${file}.`));
}

function checkEntry({ id, file, reason, warnings }: ConfiguredServer, layers: readonly ConfigLayer[]): Diagnosis[] {
  const layer = layers.find((one) => one.file === file);
  const path = layer?.servers.get(id)?.path ?? [];
  const root = layer?.text ? parseConfigText(layer.text).root : undefined;
  const node = root && findNodeAtLocation(root, [...path]);
  const place = layer && node ? `${file}, line ${lineAt(layer.text, node.offset)}` : file;
  return [
    ...(reason === undefined
      ? []
      : [trouble('error', 'config', `${place}: server ${id}: ${reason}`, `Correct ${path.join('.')} there.`)]),
    ...warnings.map((warning) => trouble('warning', 'config', `server ${id}: ${warning}`, `See ${place}.`)),
  ];
}

/** Config and policy files in places that are not read. */
export function checkUnused({ machine, running, ...places }: SetUp): Diagnosis[] {
  const policyFile = running?.cwd === places.cwd ? running.policy : undefined;
  const unused = unusedFiles(places, { cwd: places.cwd, policyFile }, machine.env);
  return unused ? [trouble(unused.isMeant ? 'error' : 'warning', 'config', unused.what, unused.remedy)] : [];
}

/** Problems of the policy files that a gateway here would use. */
export async function checkPolicies(
  { configDir, cwd, running }: SetUp,
  registryFile: string,
  config: ConfigStore,
): Promise<Diagnosis[]> {
  // The gateway of this project may use another file.
  const named = running?.cwd === cwd ? running.policy : undefined;
  const paths = policyPaths(named, configDir, cwd);
  const read = paths.flatMap(({ file }) => {
    const policy = readPolicy(file)?.policy;
    return policy ? [{ file, policy }] : [];
  });
  const absent = paths.map(({ file }) => file).filter((file) => !read.some((one) => one.file === file));
  const gone = onRegistry(registryFile, (database) => vanished(absent, new PolicyVersions(database, true))) ?? [];
  const known = knownServers((await config.load()).servers, registryFile);
  const findings = read.flatMap(({ file, policy }) =>
    lintPolicy(policy, known).findings.map(({ level, line, message }) =>
      trouble(
        level,
        'policy',
        `${file}, line ${line}: ${message}`,
        'Correct it; `bindery policy lint` checks it again.',
      ),
    ),
  );
  if (findings.length + gone.length > 0) return [...gone, ...findings];
  return [ok('policy', read.length === 0 ? 'none: every tool may be called' : `${read.length} in force`)];
}

/** The servers of the config, of Bindery itself and of the registry, with their tools as far as they are known. */
export function knownServers(
  servers: readonly ConfiguredServer[],
  registryFile: string,
): ReturnType<typeof knownTools> {
  const known = onRegistry(registryFile, (database) =>
    knownTools({ servers }, { registry: new RegistryStore(database), builtins: BUILTIN_SERVERS }),
  );
  return known ?? new Map([...servers.map(({ id }) => id), ...BUILTIN_SERVERS].map((id) => [id, undefined]));
}

/** Reads the registry, if there is one. */
function onRegistry<T>(registryFile: string, read: (database: DatabaseSync) => T): T | undefined {
  if (!existsSync(registryFile)) return undefined;
  const database = openDatabase(registryFile);
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** A vanished policy file stays in force with its last version. */
function vanished(absent: readonly string[], versions: PolicyVersions): Diagnosis[] {
  const remedy = 'Put the file back, or accept with `bindery policy reload` that it is gone.';
  return absent.flatMap((file) => {
    const version = versions.find(file);
    const message = `${file} is gone; its version of ${version?.loaded_at} decides in its place`;
    return version === undefined ? [] : [trouble('error', 'policy', message, remedy)];
  });
}

/** Checks the approval surfaces: an agent may answer the dialogue of a client by itself. */
export async function checkApprovals(config: ConfigStore): Promise<Diagnosis[]> {
  const places = approvalPlaces(gatewaySettings((await config.read()).layers).settings);
  const open = places
    .filter(({ surfaces }) => surfaces.includes('client'))
    .map(({ profile }) =>
      trouble(
        'warning',
        'approvals',
        `profile ${profile}: an agent can approve its own calls, in the dialogue of its client`,
        'Take `client` out of `surfaces` in the config, unless a person sits at that client.',
      ),
    );
  const everywhere = new Set(places.flatMap(({ surfaces }) => surfaces));
  return open.length > 0 ? open : [ok('approvals', `by ${[...everywhere].join(', ') || 'nobody: such calls fail'}`)];
}

/** Expired tokens that cannot be refreshed. */
export async function checkTokens(configFile: string): Promise<Diagnosis[]> {
  const tokens = configuredTokens(configFile, new HostRedactor());
  const damage = (await tokens.damage()).map((text) =>
    trouble('error', 'tokens', text, 'Sign in again with `bindery mcp auth login SERVER`.'),
  );
  const ended = Object.entries(await tokens.list())
    .filter(([, { expires_at, refresh_token }]) => refresh_token === undefined && (expires_at ?? Infinity) < Date.now())
    .map(([server]) =>
      trouble(
        'error',
        'tokens',
        `the token for ${server} has expired`,
        `Sign in again: \`bindery mcp auth login ${server}\`.`,
      ),
    );
  const findings = [...damage, ...ended];
  return findings.length > 0 ? findings : [ok('tokens', 'none has expired')];
}
