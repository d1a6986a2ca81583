import type { Status } from '../config.ts';
import type { FormInput, PathMatter, SkillMatter } from './entries.ts';
import type { ProviderSpan, ValueSpan } from './values.ts';

export interface Requirement {
  readonly id: string;
  readonly selects_on?: string;
}

/** A publicly visible skill. */
export interface SnapshotSkill {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly status: Status;
  readonly version: string;
  readonly category: string;
  readonly applies_to: SkillMatter['applies_to'];
  /** Edges to rendered skills, as in the front matter. */
  readonly requires: readonly Requirement[];
  /** The reverse edges, by id. */
  readonly required_by: readonly Requirement[];
  readonly requires_paths: SkillMatter['requires_paths'];
  readonly inputs: readonly FormInput[];
  /** The whole file with LF line ends. */
  readonly text: string;
  /** Positions of catalogue values in `text`. */
  readonly values: readonly ValueSpan[];
  /** Positions of provider lists in `text`; absent: none. */
  readonly providers?: readonly ProviderSpan[];
}

export interface SnapshotPath {
  readonly id: string;
  readonly status: Status;
  /** The mapping as written. */
  readonly entry: PathMatter;
  /** Hash of its file: it distinguishes versions of a draft, unlike the corpus version. */
  readonly sha256: string;
}

/** A row of the manifest. */
export interface Artefact {
  readonly type: 'skill' | 'path' | 'volatile_value' | 'reference';
  readonly id: string;
  readonly version: string;
  readonly status: Status;
}

/** The immutable data for all reads; equal files give equal snapshots. */
export interface Snapshot {
  /** Hash of all rendered sources. */
  readonly version: string;
  /** When this version was first built here. */
  readonly generated_at: string;
  readonly skills: readonly SnapshotSkill[];
  readonly paths: readonly SnapshotPath[];
  /** Visible values, by uid. */
  readonly values: Readonly<Record<string, string>>;
  readonly artefacts: readonly Artefact[];
}

/** The snapshot of an empty corpus. */
export function emptySnapshot(version: string, generatedAt: string): Snapshot {
  return { version, generated_at: generatedAt, skills: [], paths: [], values: {}, artefacts: [] };
}
