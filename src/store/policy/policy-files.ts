import { dirname } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import type { LayerName, PolicyLayer } from '../../gateway/policy/decide.ts';
import { parsePolicy, unreadablePolicy } from '../../gateway/policy/parse-policy.ts';
import type { Finding, ParsedPolicy } from '../../gateway/policy/policy-document.ts';
import { type PolicyVersion, type PolicyVersions, policyVersion } from './policy-versions.ts';
import { type ReadPolicy, readPolicy } from './read-policy.ts';

/** A layer of policy and its path. The layer `file` was named by a person, so its file must exist. */
export interface PolicyPath {
  readonly layer: LayerName;
  readonly file: string;
}

/** A layer for display. */
export interface LayerStatus {
  readonly layer: LayerName;
  readonly file: string;
  readonly status: 'ok' | 'bad' | 'vanished';
  /** Digest of the version in force; null: there is none, and every call is denied. */
  readonly sha256: string | null;
  readonly loaded_at: string | null;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
}

export interface PolicyFilesOptions {
  readonly versions: PolicyVersions;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * For a process next to the gateway (a worker, a command): whether that gateway has a file in force, so that a missing file counts as
   * vanished. Such a process stores no versions.
   */
  readonly inForce?: (path: PolicyPath) => boolean;
}

interface Loaded {
  readonly read: ReadPolicy | undefined;
  readonly policyLayer: PolicyLayer;
  readonly status: LayerStatus;
  readonly good: GoodPolicy | undefined;
}

interface GoodPolicy extends PolicyVersion {
  readonly policy: ParsedPolicy;
}

/**
 * The policy files of a gateway. It fails closed: with a bad file the last good version stays in force, even across restarts, and a file
 * that vanishes while in use counts as bad.
 */
export class PolicyFiles {
  readonly #paths: readonly PolicyPath[];
  readonly #options: PolicyFilesOptions;
  readonly #reading: FailureReport;
  readonly #keeping: FailureReport;
  #loaded: readonly Loaded[] = [];
  #layers: readonly PolicyLayer[] = [];

  /** Throws `POLICY_FILE_UNREADABLE` if a named file is missing or unreadable. */
  constructor(paths: readonly PolicyPath[], options: PolicyFilesOptions) {
    const { log, inForce } = options;
    this.#paths = paths;
    this.#options = options;
    this.#reading = new FailureReport(log, {
      failing: 'the policy files cannot be read; the policy in force stays',
      again: 'the policy files are read again',
    });
    this.#keeping = new FailureReport(log, {
      failing: 'the policy is in force, but its last good version cannot be stored',
      again: 'the last good version of the policy is stored again',
    });
    if (inForce) this.#load(inForce, false);
    else this.accept();
  }

  /** The paths, by layer. */
  get paths(): readonly PolicyPath[] {
    return this.#paths;
  }

  get files(): readonly string[] {
    return this.#paths.map(({ file }) => file);
  }

  layers(): readonly PolicyLayer[] {
    return this.#layers;
  }

  status(): readonly LayerStatus[] {
    return this.#loaded.map(({ status }) => status);
  }

  /** Reloads the files; a missing file that was in use counts as bad. */
  reload(): void {
    const before = new Set(this.#loaded.map(({ status }) => status.file));
    this.#reading.attempt(() => this.#load(({ file }) => before.has(file), this.#options.inForce === undefined));
  }

  /**
   * Reloads the files and accepts that one is gone: at start, or on a person's command. Throws `POLICY_FILE_UNREADABLE` and changes nothing
   * if a named file is missing or unreadable.
   */
  accept(): void {
    this.#load(() => false, true);
  }

  #load(mustExist: (path: PolicyPath) => boolean, keeps: boolean): void {
    const reads = this.#paths.map((path) => ({
      path,
      read: readLayer(path, this.#readBefore(path)),
      isInForce: mustExist(path),
    }));
    for (const { path, read, isInForce } of reads) {
      if (path.layer === 'file' && !isInForce) refuseUnreadable(path.file, read);
    }
    this.#loaded = reads.flatMap(({ path, read, isInForce }) => {
      if (read !== undefined || isInForce) return [this.#judge(path, read, keeps)];
      if (keeps) this.#forget(path);
      return [];
    });
    this.#layers = this.#loaded.map(({ policyLayer }) => policyLayer);
  }

  #readBefore({ layer, file }: PolicyPath): ReadPolicy | undefined {
    return this.#loaded.find(({ status }) => status.file === file && status.layer === layer)?.read;
  }

  #judge({ layer, file }: PolicyPath, read: ReadPolicy | undefined, keeps: boolean): Loaded {
    const before = this.#loaded.find(({ status }) => status.file === file && status.layer === layer);
    const policy = read?.policy ?? unreadablePolicy('the file is gone');
    const errors = policy.findings.filter(({ level }) => level === 'error');
    const warnings = policy.findings.filter(({ level }) => level === 'warning');
    const found =
      typeof read?.text === 'string' && policy.document ? this.#goodVersion(read.text, policy, before) : undefined;
    if (found && keeps) this.#keeping.attempt(() => this.#options.versions.keep(file, found));
    // Decision caches compare layer objects, so an unchanged version must stay the same object.
    const good = found ?? before?.good ?? this.#storedVersion(file);
    const inUse = good?.policy ?? policy;
    return {
      read,
      policyLayer: before?.policyLayer.policy === inUse ? before.policyLayer : { layer, file, policy: inUse },
      status: {
        layer,
        file,
        status: found ? 'ok' : read === undefined ? 'vanished' : 'bad',
        sha256: good?.sha256 ?? null,
        loaded_at: good?.loaded_at ?? null,
        errors,
        warnings,
      },
      good,
    };
  }

  #goodVersion(text: string, policy: ParsedPolicy, before: Loaded | undefined): GoodPolicy {
    return before?.good?.text === text ? before.good : { ...policyVersion(text, this.#options.clock.now()), policy };
  }

  #storedVersion(file: string): GoodPolicy | undefined {
    const stored = this.#options.versions.find(file);
    return stored && { ...stored, policy: parsePolicy(stored.text) };
  }

  #forget({ layer, file }: PolicyPath): void {
    const { versions, log } = this.#options;
    this.#keeping.attempt(() => {
      if (versions.forget(file)) log.warn('policy: the removal of the file was accepted', { layer, file });
    });
  }
}

function refuseUnreadable(file: string, read: ReadPolicy | undefined): void {
  if (read !== undefined && read.text !== null) return;
  const reason = read?.policy.findings[0]?.message ?? 'there is no such file';
  throw new BinderyError('POLICY_FILE_UNREADABLE', { detail: `${file}: ${reason}` });
}

/** A project's policy may not be a link that leaves its folder. */
function readLayer({ layer, file }: PolicyPath, before: ReadPolicy | undefined): ReadPolicy | undefined {
  const ofProject = { within: dirname(file), bytesMax: GATEWAY_LIMITS.projectPolicyBytesMax };
  return readPolicy(file, { ...(layer === 'project' ? ofProject : {}), before });
}
