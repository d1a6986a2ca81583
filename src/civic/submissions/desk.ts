import type { Clock, Log, Random } from '../../contract/ports.ts';
import type { Status } from '../config.ts';
import type { JurisdictionHosts } from '../protection/jurisdiction-hosts.ts';
import type { Scopes } from '../protection/known-scopes.ts';
import type { Detector } from '../scrub/detector.ts';
import type { FieldKinds } from '../scrub/field-kinds.ts';
import type { ScrubResult } from '../scrub/scrub-submission.ts';
import type { Salts } from '../trust/salts.ts';
import type { CivicStore } from './civic-store.ts';
import type { FiledType } from './corpus-change.ts';

/** An artefact of the folder. */
export interface FiledArtefact {
  readonly type: FiledType;
  readonly id: string;
  readonly version: string;
  readonly status: Status;
  /** The older artefact that this one replaces. */
  readonly supersedes?: string;
  /** Links for the link check: a skill's citations and body, a path's sources, a reference's address. */
  readonly links: readonly FiledLink[];
}

export interface FiledLink {
  readonly url: string;
  /** URL of an archived copy. */
  readonly archivedUrl?: string;
  /** Id of a path's source; absent for a citation. */
  readonly sourceId?: string;
  /** Documents are delivered here in a person's name: only that person's own traversal may request it [R6]. */
  readonly isAudited: boolean;
}

export interface CheckFault {
  readonly code: string;
  readonly message: string;
}

/** The other texts, with LF, of a file that differs from its last commit. */
export interface UncommittedEdit {
  /** Undefined: no commit has the file. */
  readonly committed: string | undefined;
  /** The text in git's index. */
  readonly staged: string | undefined;
}

/** The files that keep what was merged at a remote out of the folder. */
export interface FilesInTheWay {
  /** Changed there, and edited here without a commit. */
  readonly edited: readonly string[];
  /** Changed there and by commits here. */
  readonly both: readonly string[];
}

/** The corpus as the write side needs it: its files, their checks, and writing them. */
export interface CorpusFiles {
  artefacts(): readonly FiledArtefact[];
  hasSource(pathId: string, sourceId: string): boolean;
  /** The hosts on which each jurisdiction publishes. */
  hosts(): readonly JurisdictionHosts[];
  /** The scopes of all artefacts; the same object until they change. */
  scopes(): Scopes;
  /** The current text of a file, with LF; undefined: it does not exist. Throws if that is unknown. */
  read(path: string): string | undefined;
  /** Results of all corpus checks if this file had this text, and `others` their pending texts. */
  check(path: string, text: string, others?: ReadonlyMap<string, string>): readonly CheckFault[];
  write(path: string, text: string, message: string): Promise<void>;
  /** Writes a file without a commit. */
  writeUncommitted(path: string, text: string): Promise<void>;
  /** Undefined: the file is as committed, or nothing is ever committed. */
  uncommitted(path: string): Promise<UncommittedEdit | undefined>;
  /** Builds the next snapshot from the folder. False: a check failed, and the last snapshot stays. */
  refresh(): Promise<boolean>;
}

/** Dependencies of the write side. */
export interface Desk {
  readonly store: CivicStore;
  readonly salts: Salts;
  readonly files: CorpusFiles;
  /** Whether the provider directory has this entry, eligible or not. */
  hasProvider(id: string): boolean;
  /** Finds personal data and instructions in an item. */
  scrub(value: unknown, fields: FieldKinds): ScrubResult;
  /** Programs that detect personal data in addition to the rules. */
  readonly detectors: readonly Detector[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}
