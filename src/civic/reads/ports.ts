import type { Call } from '../../contract/operation.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import type { SourceHealth } from '../config.ts';
import type { SnapshotSource } from '../corpus/ports.ts';
import type { ProviderSource } from '../providers/directory.ts';

/** What votes and probes say about the sources of paths; kept by the store. */
export interface PathHealth {
  /** Differs whenever an answer differs; empty while every source is ok and nothing was validated. */
  revision(): string;
  source(pathId: string, sourceId: string): SourceHealth;
  /** Date of the last success, `YYYY-MM-DD`. */
  lastValidated(pathId: string, sourceId: string): string | undefined;
}

export const allHealthy: PathHealth = { revision: () => '', source: () => 'ok', lastValidated: () => undefined };

/** Pages for people, where they are served. */
export interface PageSource {
  /** The page of a skill, as the canonical address answers it to a browser; undefined: there is none. */
  skillPage(id: string): { readonly text: string; readonly key: string } | undefined;
}

/** What the read operations run on. */
export interface ReadDeps {
  readonly corpus: SnapshotSource;
  readonly providers: ProviderSource;
  readonly health: PathHealth;
  /** Absent: every address answers for programs. */
  readonly site?: PageSource;
  /** JSON Schemas of submissions, by name without `.json`. */
  readonly schemas: Readonly<Record<string, object>>;
  readonly scrubRules: readonly object[];
  readonly clock: Clock;
  readonly log: Log;
  /** What every absolute address begins with; no slash at its end. */
  baseUrl(): string;
  /** Refuses a caller who reads too much, by throwing. */
  admitRead(call: Call): void;
  /** Counts the calls of a deprecated tool. */
  countDeprecated(tool: string): void;
}
