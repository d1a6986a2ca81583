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

/** An artefact as the folder has it. */
export interface FiledArtefact {
  readonly type: FiledType;
  readonly id: string;
  readonly version: string;
  readonly status: Status;
  /** The older artefact that this one takes the place of. */
  readonly supersedes?: string;
  /** Links that the check visits: a skill's citations and body, a path's sources, a reference's address. */
  readonly links: readonly FiledLink[];
}

export interface FiledLink {
  readonly url: string;
  /** Where a copy of what stood there is kept. */
  readonly archivedUrl?: string;
  /** The source of a path; absent for a citation. */
  readonly sourceId?: string;
  /** Documents are delivered there in someone's name: nothing but a person's own traversal may touch it [R6]. */
  readonly isAudited: boolean;
}

export interface CheckFault {
  readonly code: string;
  readonly message: string;
}

/** The corpus as the write side needs it: what is in the folder, what a change would break, and the change itself. */
export interface CorpusFiles {
  artefacts(): readonly FiledArtefact[];
  hasSource(pathId: string, sourceId: string): boolean;
  /** Where the offices of each jurisdiction publish. */
  hosts(): readonly JurisdictionHosts[];
  /** Whom the artefacts of the corpus apply to; the same object until that changes. */
  scopes(): Scopes;
  /** Text of a file as it stands now, with LF; undefined: there is none. Throws where that cannot be told. */
  read(path: string): string | undefined;
  /** What all checks of the corpus say if this file had this text, and others the texts that they are about to have. */
  check(path: string, text: string, others?: ReadonlyMap<string, string>): readonly CheckFault[];
  write(path: string, text: string, message: string): Promise<void>;
  /** Builds the next snapshot from the folder; false: the folder does not pass its checks, and the last one stays. */
  refresh(): Promise<boolean>;
}

/** What the write side works with. */
export interface Desk {
  readonly store: CivicStore;
  readonly salts: Salts;
  readonly files: CorpusFiles;
  /** Whether the provider directory has this entry, eligible or not. */
  hasProvider(id: string): boolean;
  /** Looks for personal data and instructions in an item. */
  scrub(value: unknown, fields: FieldKinds): ScrubResult;
  /** Programs that look for persons beside the rules; none: the rules alone. */
  readonly detectors: readonly Detector[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}
