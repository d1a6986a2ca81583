import type { Call } from '../../contract/operation.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import type { SourceHealth } from '../config.ts';
import type { SnapshotSource } from '../corpus/ports.ts';
import type { ProviderSource } from '../providers/directory.ts';

/** Health of the sources of paths, from votes and probes; kept by the store. */
export interface PathHealth {
  /** Changes whenever an answer changes; empty while every source is ok and nothing was validated. */
  revision(): string;
  source(pathId: string, sourceId: string): SourceHealth;
  /** Date of the last success, `YYYY-MM-DD`. */
  lastValidated(pathId: string, sourceId: string): string | undefined;
}

export const allHealthy: PathHealth = { revision: () => '', source: () => 'ok', lastValidated: () => undefined };

/** Pages for people, if they are served. */
export interface PageSource {
  /** The page of a skill for browsers at its canonical URL; undefined if there is none. */
  skillPage(id: string): { readonly text: string; readonly key: string } | undefined;
}

/** Dependencies of the read operations. */
export interface ReadDeps {
  readonly corpus: SnapshotSource;
  readonly providers: ProviderSource;
  readonly health: PathHealth;
  /** Absent: every URL answers with data only. */
  readonly site?: PageSource;
  /** JSON Schemas of submissions, by name without `.json`. */
  readonly schemas: Readonly<Record<string, object>>;
  readonly scrubRules: readonly object[];
  readonly clock: Clock;
  readonly log: Log;
  /** Prefix of every absolute URL, without a final slash. */
  baseUrl(): string;
  /** Throws if the caller exceeds the read limit. */
  admitRead(call: Call): void;
  /** Counts calls of a deprecated tool. */
  countDeprecated(tool: string): void;
}
