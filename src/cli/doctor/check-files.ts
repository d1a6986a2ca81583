import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import type { ConfigStore } from '../../host/config/config-store.ts';
import { HostRedactor } from '../../host/redact/host-redactor.ts';
import { configuredTokens } from '../../host/redact/observed-tokens.ts';
import { policyPaths } from '../../runtime/policy/policy-in-force.ts';
import { readPolicy } from '../../store/policy/read-policy.ts';
import { ok, type SetUp, trouble } from './finding.ts';

/** What is wrong with the config files, and with each server in them. */
export async function checkConfig(config: ConfigStore): Promise<Diagnosis[]> {
  const { layers, servers } = await config.load();
  const broken = layers.flatMap(({ file, error }) =>
    error === undefined
      ? []
      : [
          trouble(
            'error',
            'config',
            `${file}: ${error}`,
            'Correct the file there; comments and trailing commas are allowed.',
          ),
        ],
  );
  const invalid = servers.flatMap(({ id, file, reason }) =>
    reason === undefined
      ? []
      : [trouble('error', 'config', `server ${id}: ${reason}`, `Correct mcp.servers.${id} in ${file}.`)],
  );
  const doubtful = servers.flatMap(({ id, file, warnings }) =>
    warnings.map((warning) => trouble('warning', 'config', `server ${id}: ${warning}`, `See ${file}.`)),
  );
  const findings = [...broken, ...invalid, ...doubtful];
  const count = `${servers.length} ${servers.length === 1 ? 'server' : 'servers'}`;
  return findings.length > 0 ? findings : [ok('config', `${count} configured`)];
}

/** What is wrong with the policy files that a gateway here would use. */
export function checkPolicies({ configDir, cwd, running }: SetUp): Diagnosis[] {
  // The gateway of this project may have been told to take another file.
  const named = running?.cwd === cwd ? running.policy : undefined;
  const read = policyPaths(named, configDir, cwd).flatMap(({ file }) => {
    const policy = readPolicy(file)?.policy;
    return policy ? [{ file, policy }] : [];
  });
  const findings = read.flatMap(({ file, policy }) =>
    policy.findings.map(({ level, line, message }) =>
      trouble(
        level,
        'policy',
        `${file}, line ${line}: ${message}`,
        'Correct it; `bindery policy lint` checks it again.',
      ),
    ),
  );
  if (findings.length > 0) return findings;
  return [ok('policy', read.length === 0 ? 'none: every tool may be called' : `${read.length} in force`)];
}

/** Tokens that have ended and cannot be renewed. */
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
