import { existsSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { CORPUS_LIMITS } from '../../civic/config.ts';
import { isCorpusPath, type SourceFile, tooLargeFile, toSourceFile } from '../../civic/corpus/source-file.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';

/** A file changed twice within one tick of the file system's clock looks unchanged, so younger files are read again. */
const SETTLED_MS = 50;
/** Files read before yielding to the event loop. */
const FILES_PER_TURN = 250;

interface Known {
  readonly stats: Stats;
  readonly settled: boolean;
  readonly file: SourceFile;
}

/** Reads the files of a corpus, re-reading only changed ones. Does not follow links. */
export class CorpusFolder {
  readonly dir: string;
  #known = new Map<string, Known>();

  constructor(dir: string) {
    this.dir = dir;
  }

  /**
   * Throws if the folder is unreadable, or empty although it had files: an unmounted disk looks like that, and maintainers do not empty a
   * corpus at once.
   */
  async read(): Promise<SourceFile[]> {
    const known = new Map<string, Known>();
    let count = 0;
    for (const path of this.#paths()) {
      const entry = this.#readOne(path);
      if (entry) known.set(path, entry);
      count += 1;
      if (count % FILES_PER_TURN === 0) await setImmediate();
    }
    if (known.size === 0) this.requirePresent();
    this.#known = known;
    return [...known.values()].map((entry) => entry.file);
  }

  /** Re-reads these files only. */
  readAgain(paths: readonly string[]): SourceFile[] {
    for (const path of paths) {
      const entry = this.#readOne(path);
      if (entry) this.#known.set(path, entry);
      else this.#known.delete(path);
    }
    return [...this.#known.values()].map((entry) => entry.file);
  }

  /** Throws like `read`, without reading files. */
  requirePresent(): void {
    for (const path of this.#paths()) if (existsSync(join(this.dir, path))) return;
    if (this.#known.size > 0) throw new Error(`${this.dir} is empty although it had files of a corpus`);
  }

  *#paths(): Generator<string> {
    // The folder must exist; its subfolders need not.
    readdirSync(this.dir);
    for (const entry of list(join(this.dir, 'skills'))) {
      if (entry.isDirectory()) yield `skills/${entry.name}/canonical.md`;
    }
    for (const folder of ['paths', 'catalogue']) {
      for (const entry of list(join(this.dir, folder))) {
        const path = `${folder}/${entry.name}`;
        if (entry.isFile() && isCorpusPath(path)) yield path;
      }
    }
  }

  #readOne(path: string): Known | undefined {
    const absolute = `${this.dir}/${path}`;
    const stats = lstatSync(absolute, { throwIfNoEntry: false });
    if (!stats?.isFile()) return undefined;
    const before = this.#known.get(path);
    if (before?.settled && isSame(before.stats, stats)) return before;
    const settled = Date.now() - stats.ctimeMs > SETTLED_MS;
    if (stats.size > CORPUS_LIMITS.fileBytesMax) return { stats, settled, file: tooLargeFile(path, stats.size) };
    const bytes = readSuppliedFileSync({ path: absolute, within: this.dir, bytesMax: CORPUS_LIMITS.fileBytesMax });
    if (!bytes) return undefined;
    const file = toSourceFile(path, bytes);
    return { stats, settled, file: before?.file.sha256 === file.sha256 ? before.file : file };
  }
}

function isSame(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

function list(dir: string) {
  return unlessGone(() => readdirSync(dir, { withFileTypes: true })) ?? [];
}

/** Undefined if another program has just removed it. */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
}
