import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';
import { type ConfigLayer, parseLayer } from '../../host/config/config-layer.ts';
import type { LoadedConfig } from '../../host/config/config-store.ts';
import { profilesText } from '../../host/config/gateway-settings.ts';
import { type PolicyVersions, policyVersion } from '../../store/policy/policy-versions.ts';

/** Config files that cannot be used now and whose profiles, with their policies, stay in force. */
export type LostConfigs = ReadonlyMap<string, 'bad' | 'vanished'>;

export interface LastGoodConfigOptions {
  /** Keeps what the files last said of profiles. */
  readonly versions: PolicyVersions;
  /** For a worker: a file that is gone has vanished while the gateway runs. Its start does not mean that anybody accepts that. */
  readonly isFollower: boolean;
  readonly log: Log;
}

/** Config files as they are used. */
export interface ConfigInForce {
  /** What counts of servers. */
  readonly layers: readonly ConfigLayer[];
  /** What counts of settings and profiles. */
  readonly settings: readonly ConfigLayer[];
  /** What is wrong with a file; the last good one is in use meanwhile. */
  readonly error: string | undefined;
  /** When both files could be used last; at the start, when they were read. */
  readonly loadedAt: string | null;
  /** Files that cannot be used now, and whose profiles stay in force. */
  readonly lost: LostConfigs;
}

/** A config file that cannot be used counts as it was when it could be used last. */
export class LastGoodConfig {
  readonly #options: LastGoodConfigOptions;
  readonly #keeping: FailureReport;
  /** Each file as it was when it could be used last. */
  readonly #good = new Map<string, ConfigLayer>();
  /** Files whose profiles are in force. */
  #withProfiles: ReadonlySet<string> = new Set();
  #loadedAt: string | null = null;

  constructor(options: LastGoodConfigOptions) {
    this.#options = options;
    this.#keeping = new FailureReport(options.log, {
      failing: 'the profiles are in force, but their last good version cannot be stored',
      again: 'the last good version of the profiles is stored again',
    });
  }

  /** What is in force after the files were read. `accepts`: a person says that a file with profiles may be gone. */
  inForce({ layers: read, errors }: LoadedConfig, accepts: boolean): ConfigInForce {
    const { versions, isFollower } = this.#options;
    const gone = accepts ? [] : read.filter((layer) => isGone(layer) && this.#withProfiles.has(layer.file));
    const error =
      errors[0] ?? gone.map(({ scope }) => `the ${scope} config file is gone: what it said stays in force`)[0];
    const layers = read.map((layer) => this.#usable(layer, gone.includes(layer)));
    const { layers: settings, lost } = lastGoodProfiles(layers, versions, !isFollower || accepts);
    this.#keeping.attempt(() => keepProfiles(layers, versions, Date.now()));
    this.#withProfiles = new Set(settings.filter((layer) => profilesText(layer) !== undefined).map(({ file }) => file));
    if (error === undefined || this.#loadedAt === null) this.#loadedAt = new Date().toISOString();
    return { layers, settings, error, loadedAt: this.#loadedAt, lost: new Map([...lost, ...lostOf(read, settings)]) };
  }

  /** The other file is not held up by one that cannot be used: one of the two is a stranger's. */
  #usable(layer: ConfigLayer, isLost: boolean): ConfigLayer {
    if (isLost || layer.error !== undefined) return this.#good.get(layer.file) ?? layer;
    this.#good.set(layer.file, layer);
    return layer;
  }
}

/** Files whose profiles are in force although the file does not say so now. */
function lostOf(read: readonly ConfigLayer[], inForce: readonly ConfigLayer[]): [string, 'bad' | 'vanished'][] {
  return read.flatMap((layer, index) => {
    const used = inForce[index] as ConfigLayer;
    if (used === layer || profilesText(used) === undefined) return [];
    return [[layer.file, layer.error === undefined ? 'vanished' : 'bad'] as [string, 'bad' | 'vanished']];
  });
}

/** The layers, with what a file last said of profiles in the place of a file that cannot be used. */
export function lastGoodProfiles(
  layers: readonly ConfigLayer[],
  versions: PolicyVersions,
  isAbsenceAccepted: boolean,
): { readonly layers: readonly ConfigLayer[]; readonly lost: LostConfigs } {
  const lost = new Map<string, 'bad' | 'vanished'>();
  const used = layers.map((layer) => {
    const { scope, file, error } = layer;
    if (error === undefined && (isAbsenceAccepted || !isGone(layer))) return layer;
    const stored = versions.find(keyOf(file));
    if (stored) lost.set(file, error === undefined ? 'vanished' : 'bad');
    return stored ? parseLayer(scope, file, stored.text) : layer;
  });
  return { layers: used, lost };
}

/** Keeps what files that can be used say of profiles, for the case that one of them turns bad or vanishes. */
function keepProfiles(layers: readonly ConfigLayer[], versions: PolicyVersions, now: number): void {
  for (const layer of layers) {
    if (layer.error !== undefined) continue;
    const text = profilesText(layer);
    if (text === undefined) versions.forget(keyOf(layer.file));
    else versions.keep(keyOf(layer.file), policyVersion(text, now));
  }
}

/** An empty file is one that somebody is about to write. */
function isGone({ error, text }: ConfigLayer): boolean {
  return error === undefined && text === '';
}

function keyOf(file: string): string {
  return `profiles of ${file}`;
}
