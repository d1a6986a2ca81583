import { CORPUS_LIMITS } from '../../civic/config.ts';
import { type BuildContext, type Corpus, type CorpusBuild, CorpusBuilder } from '../../civic/corpus/corpus-builder.ts';
import type { CorpusIssue } from '../../civic/corpus/issue.ts';
import type { BuildState, EditableCorpus, FileChange } from '../../civic/corpus/ports.ts';
import { type SourceFile, toSourceFile } from '../../civic/corpus/source-file.ts';
import { BinderyError } from '../../contract/errors.ts';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';
import { type CommitOptions, commitFiles } from './commit-files.ts';
import { CorpusFolder } from './corpus-folder.ts';

export interface WatchedCorpusOptions {
  readonly dir: string;
  readonly log: Log;
  /** How changes are committed. */
  readonly commits?: CommitOptions;
  /** The context of a build; requested for each build. */
  context(): BuildContext | Promise<BuildContext>;
}

/** A polled folder; a corpus that fails its checks never replaces one that passed. */
export class WatchedCorpus implements EditableCorpus {
  readonly #folder: CorpusFolder;
  readonly #options: WatchedCorpusOptions;
  readonly #builder = new CorpusBuilder();
  readonly #reading: FailureReport;
  /** Input of the last build. */
  #read: { files: readonly SourceFile[]; context: BuildContext } | undefined;
  /** Files of the corpus that is served. */
  #good: readonly SourceFile[] = [];
  readonly #listeners = new Set<(corpus: Corpus) => void>();
  #corpus: Corpus | undefined;
  #last: CorpusBuild | undefined;
  #state: BuildState = { ok: false, errors: [] };
  #queue: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: WatchedCorpusOptions) {
    this.#options = options;
    this.#folder = new CorpusFolder(options.dir);
    this.#reading = new FailureReport(options.log, {
      failing: 'the corpus cannot be read; the last good one stays',
      again: 'the corpus can be read again',
    });
  }

  current(): Corpus | undefined {
    return this.#corpus;
  }

  state(): BuildState {
    return this.#state;
  }

  /** Called with each new corpus, before it is served. */
  onChange(listener: (corpus: Corpus) => void): void {
    this.#listeners.add(listener);
  }

  refresh(): Promise<CorpusBuild> {
    return this.#inTurn(async () => this.#build(await this.#folder.read()));
  }

  /** Without a message the files are written and not committed. */
  commit(changes: readonly FileChange[], message: string | undefined): Promise<CorpusBuild> {
    return this.#inTurn(async () => {
      try {
        // Otherwise a new file in an unmounted folder would block the real one.
        this.requireFolder();
        await commitFiles(this.#folder.dir, changes, message, this.#options.commits);
      } catch (error) {
        this.#serveOnTop(changes);
        throw error;
      }
      // Other changes made meanwhile are found by the next poll.
      const paths = changes.map((change) => change.path);
      const build = await this.#build(this.#last ? this.#folder.readAgain(paths) : await this.#folder.read());
      if (!build.corpus) this.#serveOnTop(changes);
      return build;
    });
  }

  /**
   * The errors that these changes would cause in the last files read; writes nothing. Existing errors of other files are left out: the
   * change did not cause them. `others` are changes that are decided already.
   */
  check(changes: readonly FileChange[], others: readonly FileChange[] = []): readonly CorpusIssue[] {
    if (!this.#read) return [];
    const changed = new Set(changes.map(({ path }) => path));
    const known = new Set(this.#last?.errors.filter(({ path }) => !changed.has(path)).map(issueKey));
    const { errors } = this.#builder.buildApart(withChanges(this.#read.files, [...others, ...changes]), {
      ...this.#read.context,
      generatedAt: () => '',
    });
    return errors.filter((issue) => !known.has(issueKey(issue)));
  }

  /** Throws if the folder is unavailable, so that a missing file proves nothing. */
  requireFolder(): void {
    try {
      this.#folder.requirePresent();
    } catch (cause) {
      throw new BinderyError('STORE_UNAVAILABLE', { detail: 'The folder of the corpus is away.', cause });
    }
  }

  /** Starts polling. */
  watch(): void {
    const look = async () => {
      const started = performance.now();
      try {
        await this.refresh();
        this.#reading.succeeded();
      } catch (error) {
        this.#reading.failed(error);
      }
      // A big folder on a slow disk is polled less often: polling takes at most a twentieth of the time.
      const pause = Math.max(CORPUS_LIMITS.watchMs, (performance.now() - started) * 20);
      if (!this.#closed) this.#timer = setTimeout(look, pause).unref();
    };
    this.#timer = setTimeout(look, CORPUS_LIMITS.watchMs).unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#queue.catch(() => {});
  }

  async #build(files: readonly SourceFile[]): Promise<CorpusBuild> {
    const context = await this.#options.context();
    const build = this.#builder.build(files, context);
    this.#read = { files, context };
    if (build === this.#last) return build;
    this.#last = build;
    if (build.corpus) {
      for (const listener of this.#listeners) listener(build.corpus);
      this.#corpus = build.corpus;
      this.#good = files;
    }
    if (build.errors.length > 0 && this.#state.ok) {
      this.#options.log.warn('the corpus fails its checks; the last good one stays', { errors: build.errors.length });
    }
    this.#state = { ok: build.errors.length === 0, errors: build.errors.slice(0, CORPUS_LIMITS.errorsShownMax) };
    return build;
  }

  /**
   * Serves our own change on top of the last good files if a person's change fails the checks or the folder is not writable: a quarantine
   * must not wait for either. The result is not adopted, so listeners are not called.
   */
  #serveOnTop(changes: readonly FileChange[]): void {
    if (!this.#corpus || !this.#read) return;
    const files = withChanges(this.#good, changes);
    const { corpus } = this.#builder.buildApart(files, this.#read.context);
    if (!corpus) return;
    this.#corpus = corpus;
    this.#good = files;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work, work);
    this.#queue = turn.catch(() => {});
    return turn;
  }
}

function withChanges(files: readonly SourceFile[], changes: readonly FileChange[]): SourceFile[] {
  const changed = new Map(files.map((file) => [file.path, file]));
  for (const { path, content } of changes) {
    if (content === undefined) changed.delete(path);
    else changed.set(path, toSourceFile(path, Buffer.from(content)));
  }
  return [...changed.values()];
}

function issueKey({ code, path, message }: CorpusIssue): string {
  return `${code} ${path} ${message}`;
}
