import { join } from 'node:path';
import type { Clock, Log } from '../../contract/ports.ts';
import { judge, type PolicyLayer } from '../../gateway/policy/decide.ts';
import { unreadablePolicy } from '../../gateway/policy/parse-policy.ts';
import type { Exposure } from '../../gateway/search/listing-cost.ts';
import { watchFiles } from '../../host/config/watch-files.ts';
import { PolicyFiles, type PolicyPath } from '../../store/policy/policy-files.ts';
import type { PolicyVersions } from '../../store/policy/policy-versions.ts';
import type { JudgedTool } from '../../store/registry/registry-store.ts';
import { type ConfiguredProfile, configuredProfiles } from '../config/configured-profiles.ts';
import { PolicyReport } from './policy-report.ts';
import { type PolicySources, type PolicyStatus, policyStatus } from './policy-status.ts';

export interface PolicyInForceOptions extends Omit<PolicySources, 'policyFiles'> {
  readonly paths: readonly PolicyPath[];
  readonly versions: PolicyVersions;
  /** Which tools clients see; overrides the config. */
  readonly exposure: Exposure | undefined;
  /** For a worker: the policy files that its primary has in force. The primary reports them. */
  readonly follower: { readonly policyFiles: readonly string[] } | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Denies a call whose profile was removed while it waited: its layers are unknown by then. */
const GONE_PROFILE: PolicyLayer = { layer: 'profile', file: null, policy: unreadablePolicy('the profile is gone') };

/** The policy files and profiles in force. */
export class PolicyInForce {
  readonly files: PolicyFiles;
  readonly #options: PolicyInForceOptions;
  readonly #report: PolicyReport | undefined;
  #profiles: readonly ConfiguredProfile[] = [];

  constructor(options: PolicyInForceOptions) {
    const { paths, versions, clock, log, follower } = options;
    this.#options = options;
    const inForce = follower && (({ file }: PolicyPath) => follower.policyFiles.includes(file));
    this.files = new PolicyFiles(paths, { versions, clock, log, ...(inForce ? { inForce } : {}) });
    this.#report = follower ? undefined : new PolicyReport(log);
  }

  get profiles(): readonly ConfiguredProfile[] {
    return this.#profiles;
  }

  layers(profile: string): readonly PolicyLayer[] {
    const own = this.#profiles.find(({ name }) => name === profile)?.policies ?? [GONE_PROFILE];
    return own.length === 0 ? this.files.layers() : [...this.files.layers(), ...own];
  }

  status(): PolicyStatus {
    return policyStatus({ ...this.#options, policyFiles: this.files });
  }

  /** Applies the current profiles of the config. */
  configure(): void {
    const { config, exposure, log } = this.#options;
    this.#profiles = configuredProfiles(config.settings, exposure, log);
    this.report();
  }

  /** Logs changes of the policy status. A newly discovered server may reveal a rule that names no tool. */
  report(): void {
    this.#report?.report(this.status());
  }

  /** Calls back when a file may have changed. Returns a function that stops. */
  watch(onChange: () => void): () => void {
    return watchFiles(this.files.files, onChange);
  }

  /** Reads the files again; true if anything changed. */
  reload(): boolean {
    const before = JSON.stringify(this.files.status());
    this.files.reload();
    if (JSON.stringify(this.files.status()) === before) return false;
    this.report();
    return true;
  }
}

/** Whether the policy of a profile requires a person's approval for a tool. */
export function asksPerson(layers: readonly PolicyLayer[], { server, tool, readOnly }: JudgedTool): boolean {
  if (layers.length === 0) return false;
  return judge(layers, { server, tool, now: undefined, readOnly }).decision.decision === 'approval';
}

/** The policy files: one that replaces all, or those of the person and the project. */
export function policyPaths(
  policyFile: string | undefined,
  configDir: string,
  projectDir: string,
): readonly PolicyPath[] {
  if (policyFile !== undefined) return [{ layer: 'file', file: policyFile }];
  const global = { layer: 'global', file: join(configDir, 'project_mcp.json') } as const;
  const project = { layer: 'project', file: join(projectDir, 'project_mcp.json') } as const;
  // A file that is both layers counts as the person's own.
  return global.file === project.file ? [global] : [global, project];
}
