import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Ignore } from 'ignore';
import { toDocumentId } from '../../context/document-id.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { type SourceFormat, sourceFormat } from '../../context/source-formats.ts';
import { utf8OrderOf } from '../../context/utf8.ts';
import { BinderyError } from '../../contract/errors.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';
import { isAbsent, unreadable } from './file-errors.ts';

/** A file that becomes a document. */
export interface SourceFile {
  readonly id: string;
  /** Path below the sources, in the system's notation. */
  readonly source: string;
}

/** Which sources a build includes. */
export interface SourceWish {
  readonly gitignore: boolean;
  readonly also?: readonly SourceFormat[];
  readonly skipInvalid?: boolean;
}

export type LeftOut = Partial<Record<SourceFormat | 'links', number>>;

export interface FoundSources {
  readonly files: SourceFile[];
  /** Counts files that other options would have included, and links that lead out of the sources or to nothing. */
  readonly leftOut: LeftOut;
}

/** Every source below the folder, in id order; `onFound` receives the count so far. Throws if two have the same id. */
export async function walkSources(
  root: string,
  wish: SourceWish,
  onFound: (count: number) => void,
): Promise<FoundSources> {
  const rules = wish.gitignore ? await GitignoreRules.create(root) : undefined;
  const walked = new Walk(root, wish, rules, onFound);
  walked.enter('');
  const { files, leftOut } = walked;
  const compare = utf8OrderOf(files.map(({ id }) => id));
  files.sort((left, right) => compare(left.id, right.id));
  files.forEach(({ id, source }, index) => {
    const next = files[index + 1];
    if (next?.id === id) throw sameId(id, source, next.source);
  });
  return { files, leftOut };
}

function sameId(id: string, source: string, other: string): BinderyError {
  const why = source.toLowerCase() === other.toLowerCase() ? ': their paths differ by case only' : '';
  return new BinderyError('cache_invalid', {
    detail: `the sources ${source} and ${other} have the same id, ${id}${why}`,
    next: 'Rename one of them: an id is the path in lower case, with / between its parts.',
  });
}

class Walk {
  readonly files: SourceFile[] = [];
  readonly leftOut: LeftOut = {};
  readonly #root: string;
  readonly #wish: SourceWish;
  readonly #rules: GitignoreRules | undefined;
  readonly #onFound: (count: number) => void;

  constructor(root: string, wish: SourceWish, rules: GitignoreRules | undefined, onFound: (count: number) => void) {
    this.#root = root;
    this.#wish = wish;
    this.#rules = rules;
    this.#onFound = onFound;
  }

  enter(below: string): void {
    this.#rules?.enter(below);
    for (const entry of readFolder(this.#root, below, this.#wish.skipInvalid === true)) {
      const path = below === '' ? entry.name : below + sep + entry.name;
      if (entry.isDirectory()) {
        if (!this.#rules?.ignores(`${path}/`)) this.enter(path);
      } else this.#meet(entry, path);
    }
  }

  #meet(entry: Dirent, path: string): void {
    const format = sourceFormat(entry.name);
    const kind = kindOf(entry, this.#root, path);
    if (kind === 'outer folder') {
      if (!this.#rules?.ignores(`${path}/`)) this.#leaveOut('links');
      return;
    }
    if (format === undefined || kind === 'other' || this.#rules?.ignores(path)) return;
    if (format !== 'md' && !this.#wish.also?.includes(format)) this.#leaveOut(format);
    else if (kind === 'outer file') this.#leaveOut('links');
    else {
      this.files.push({ id: toDocumentId(path), source: path });
      this.#onFound(this.files.length);
    }
  }

  #leaveOut(kind: keyof LeftOut): void {
    this.leftOut[kind] = (this.leftOut[kind] ?? 0) + 1;
  }
}

/** What a walk finds besides folders: a file, or a link to a file or folder outside the sources. A dangling link counts as outside. */
type Kind = 'file' | 'outer file' | 'outer folder' | 'other';

/** Symlinks to files are followed inside the sources, symlinks to folders never. */
function kindOf(entry: Dirent, root: string, path: string): Kind {
  if (!entry.isSymbolicLink()) return entry.isFile() ? 'file' : 'other';
  try {
    const target = statSync(join(root, path));
    const isInside = isWithin(root, realpathSync(join(root, path)));
    if (target.isDirectory()) return isInside ? 'other' : 'outer folder';
    if (!target.isFile()) return 'other';
    return isInside ? 'file' : 'outer file';
  } catch (thrown) {
    if (isAbsent(thrown)) return 'outer file';
    throw thrown;
  }
}

/** Whether a real path is the root, or below it. */
function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function readFolder(root: string, below: string, skipInvalid: boolean): Dirent[] {
  const folder = join(root, below);
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (thrown) {
    throw unreadable(`the folder ${below === '' ? 'of the sources' : below}`, thrown);
  }
  // Node replaces invalid UTF-8 by U+FFFD, so only names with that character need a closer look.
  if (!entries.some((entry) => entry.name.includes('\ufffd'))) return entries;
  const names = readdirSync(folder, { encoding: 'buffer' });
  if (names.every((name) => isUtf8(name))) return entries;
  if (!skipInvalid) throw notUtf8(`the name of a source${below === '' ? '' : ` in ${below}`}`);
  const valid = new Set(names.filter((name) => isUtf8(name)).map((name) => name.toString('utf8')));
  return entries.filter(({ name }) => valid.has(name));
}

/** The error for a source that is not UTF-8. */
export function notUtf8(what: string): BinderyError {
  return new BinderyError('io_error', {
    detail: `${what} is not valid UTF-8`,
    next: 'Save it as UTF-8, move it out of the sources, or pass --skip-invalid.',
  });
}

/** The `.gitignore` files from the sources' root down to the current folder; the deepest matching rule decides. */
class GitignoreRules {
  readonly #root: string;
  readonly #create: () => Ignore;
  readonly #byFolder = new Map<string, Ignore>();

  private constructor(root: string, create: () => Ignore) {
    this.#root = root;
    this.#create = create;
  }

  static async create(root: string): Promise<GitignoreRules> {
    const { default: ignore } = await import('ignore');
    // Case-sensitive on every system, so that equal sources give equal caches.
    return new GitignoreRules(root, () => ignore({ ignorecase: false }));
  }

  enter(below: string): void {
    const file = join(this.#root, below, '.gitignore');
    const bytes = readSuppliedFileSync({
      path: file,
      within: this.#root,
      bytesMax: CONTEXT_LIMITS.gitignoreBytesMax,
    });
    if (bytes) this.#byFolder.set(toSlashes(below), this.#create().add(bytes.toString('utf8')));
  }

  ignores(path: string): boolean {
    const parts = toSlashes(path).split('/');
    if (parts.includes('.git')) return true;
    let isIgnored = false;
    for (let depth = 0; depth < parts.length; depth++) {
      const rest = parts.slice(depth).join('/');
      const rules = rest && this.#byFolder.get(parts.slice(0, depth).join('/'));
      if (!rules) continue;
      const { ignored, unignored } = rules.test(rest);
      if (ignored) isIgnored = true;
      if (unignored) isIgnored = false;
    }
    return isIgnored;
  }
}

function toSlashes(path: string): string {
  return path.replaceAll(sep, '/');
}
