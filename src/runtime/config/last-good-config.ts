import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';
import { type ConfigLayer, parseLayer } from '../../host/config/config-layer.ts';
import type { ReadConfig } from '../../host/config/config-store.ts';
import { profilesText } from '../../host/config/gateway-settings.ts';
import { type PolicyVersions, policyVersion } from '../../store/policy/policy-versions.ts';

/** Invalid or missing config files whose profiles and policies stay in force. */
export type LostConfigs = ReadonlyMap<string, 'bad' | 'vanished'>;

export interface LastGoodConfigOptions {
  /** Stores the last good versions of profiles. */
  readonly versions: PolicyVersions;
  /** For a worker a missing file has vanished while the gateway runs: unlike a start, this does not accept its absence. */
  readonly isFollower: boolean;
  readonly log: Log;
}

/** The config files in use. */
export interface ConfigInForce {
  /** The layers for servers. */
  readonly layers: readonly ConfigLayer[];
  /** The layers for settings and profiles. */
  readonly settings: readonly ConfigLayer[];
  /** The problem with a file; its last good version is in use. */
  readonly error: string | undefined;
  /** When both files were last valid; at the start, when they were read. */
  readonly loadedAt: string | null;
  /** Invalid or missing files whose profiles stay in force. */
  readonly lost: LostConfigs;
}

/** Uses the last good version of a config file that is invalid. */
export class LastGoodConfig {
  readonly #options: LastGoodConfigOptions;
  readonly #keeping: FailureReport;
  /** The last good version of each file. */
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

  /** The config in force after a read. `accepts`: a person allows a file with profiles to be missing. */
  inForce({ layers: read, errors }: ReadConfig, accepts: boolean): ConfigInForce {
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

  /** The last good version if this file is unusable. It does not block the other file: they may have different authors. */
  #usable(layer: ConfigLayer, isLost: boolean): ConfigLayer {
    if (isLost || layer.error !== undefined) return this.#good.get(layer.file) ?? layer;
    this.#good.set(layer.file, layer);
    return layer;
  }
}

/** Files whose profiles are in force, although the file does not contain them now. */
function lostOf(read: readonly ConfigLayer[], inForce: readonly ConfigLayer[]): [string, 'bad' | 'vanished'][] {
  return read.flatMap((layer, index) => {
    const used = inForce[index] as ConfigLayer;
    if (used === layer || profilesText(used) === undefined) return [];
    return [[layer.file, layer.error === undefined ? 'vanished' : 'bad'] as [string, 'bad' | 'vanished']];
  });
}

/** The layers, with the stored profiles in place of an unusable file. */
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

/** Stores the profiles of valid files, in case a file becomes invalid or vanishes. */
function keepProfiles(layers: readonly ConfigLayer[], versions: PolicyVersions, now: number): void {
  for (const layer of layers) {
    if (layer.error !== undefined) continue;
    const text = profilesText(layer);
    if (text === undefined) versions.forget(keyOf(layer.file));
    else versions.keep(keyOf(layer.file), policyVersion(text, now));
  }
}

/** An empty file counts as missing: an editor may be about to write it. */
function isGone({ error, text }: ConfigLayer): boolean {
  return error === undefined && text === '';
}

function keyOf(file: string): string {
  return `profiles of ${file}`;
}
