import { resolve } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { lintPolicy } from '../../gateway/policy/lint-policy.ts';
import type { KnownTools } from '../../gateway/policy/name-doubts.ts';
import { unreadablePolicy } from '../../gateway/policy/parse-policy.ts';
import type { ParsedPolicy } from '../../gateway/policy/policy-document.ts';
import type { ConfigStore, LoadedConfig } from '../../host/config/config-store.ts';
import type { PolicyFiles } from '../../store/policy/policy-files.ts';
import { readPolicy } from '../../store/policy/read-policy.ts';
import type { RegistryStore } from '../../store/registry/registry-store.ts';

export interface LintPolicyFilesOptions {
  readonly policyFiles: PolicyFiles;
  readonly projectDir: string;
  readonly config: ConfigStore;
  readonly registry: RegistryStore;
  /** Servers that every gateway has. */
  readonly builtins: readonly string[];
}

/** Checks one policy file, or all policy files of a gateway. */
export async function lintPolicyFiles(
  options: LintPolicyFilesOptions,
  file: string | undefined,
): ReturnType<GatewayDeps['policy']['lint']> {
  const { policyFiles, projectDir, config } = options;
  const known = knownTools(await config.load(), options);
  const read =
    file === undefined ? policiesOf(policyFiles) : [{ file, policy: policyAt(resolve(projectDir, file), file) }];
  const reports = read.map(({ file: path, policy }) => ({ path, ...lintPolicy(policy, known) }));
  return {
    ok: reports.every(({ ok }) => ok),
    findings: reports.flatMap(({ path, findings }) => findings.map((finding) => ({ ...finding, file: path }))),
  };
}

/** The current files; a vanished file is an error. */
function policiesOf(policyFiles: PolicyFiles): { readonly file: string; readonly policy: ParsedPolicy }[] {
  return policyFiles.status().map(({ file, status }) => ({
    file,
    policy: status === 'vanished' ? unreadablePolicy('the file is gone') : policyAt(file, file),
  }));
}

function policyAt(path: string, written: string): ParsedPolicy {
  const read = readPolicy(path);
  if (!read) throw new BinderyError('USAGE', { detail: `"${written}" cannot be read` });
  return read.policy;
}

/** The servers of the config and the registry, each with its last known tools. */
export function knownTools(
  { servers }: { readonly servers: LoadedConfig['servers'] },
  { registry, builtins }: { readonly registry: RegistryStore; readonly builtins: readonly string[] },
): KnownTools {
  const offers = registry.offers();
  const ids = new Set([...servers.map(({ id }) => id), ...offers.keys(), ...builtins]);
  const toolsOf = (id: string) => offers.get(id)?.tools.map(({ definition }) => definition.name);
  return new Map(
    [...ids].map((id) => {
      const tools = toolsOf(id);
      return [id, tools && new Set(tools)];
    }),
  );
}
