import type { BuildReport, CacheList, Inspection, Verification } from './reports.ts';
import type { OpenCache } from './resolve-context.ts';
import type { SourceFormat } from './source-formats.ts';

export type ReportProgress = (done: number, total: number) => void;

/**
 * Caches as a face names them: the command by path, a server by a name that cannot leave its root. Every method may throw
 * `cache_missing`, `cache_invalid` or `io_error`.
 */
export interface Caches {
  /** Opens a cache for `use`; if it is replaced meanwhile, `use` runs again on the new one. */
  read<T>(cache: string, use: (cache: OpenCache) => Promise<T>): Promise<T>;
  /** For the command: the size of the documents, and whether all of them exist. */
  inspect(cache: string): Promise<Inspection>;
  /** For a server: the size of manifest and index; a broken manifest is an answer, not a failure. */
  summarize(cache: string): Promise<Inspection>;
  /** Checks every file. */
  verify(cache: string, signal: AbortSignal, progress: ReportProgress): Promise<Verification>;
  /** The caches that can be named here. */
  list(): Promise<CacheList>;
}

export interface BuildRequest {
  readonly sources: string;
  readonly cache: string;
  readonly force: boolean;
  readonly incremental: boolean;
  readonly gitignore: boolean;
  /** Sources beside `.md`; absent: none. */
  readonly also?: readonly SourceFormat[];
  /** Leaves out sources that are not UTF-8; absent: the first of them fails the build. */
  readonly skipInvalid?: boolean;
}

/** Builds a cache from a folder of sources, atomically. */
export interface CacheBuilder {
  build(request: BuildRequest, signal: AbortSignal, progress: ReportProgress): Promise<BuildReport>;
}

/** The dependencies of this room's operations. */
export interface ContextDeps {
  readonly caches: Caches;
  readonly builder: CacheBuilder;
  /** Where a server keeps the cache with this name; absent if caches are named by path. */
  folderOf?(cache: string): string;
  /** Aborts when a call that starts now has taken too long; undefined: no limit. */
  deadline(): AbortSignal | undefined;
}
