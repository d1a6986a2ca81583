import type { Clock } from '../contract/ports.ts';
import type { Answers, Signing } from './answers.ts';
import type { WritePolicy, ZoneWriter } from './write-zone.ts';
import type { ZoneSource } from './zone.ts';

/** What the room's operations run on. */
export interface BindDeps {
  readonly zones: ZoneSource;
  readonly writer: ZoneWriter;
  readonly answers: Answers;
  readonly policy: WritePolicy;
  readonly clock: Clock;
  /** The signing keys as they are now. */
  readonly signing?: (() => Signing | undefined) | undefined;
}
