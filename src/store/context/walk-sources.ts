import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Ignore } from 'ignore';
import { toDocumentId } from '../../context/document-id.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { utf8OrderOf } from '../../context/utf8.ts';
import { BinderyError } from '../../contract/errors.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';
import { isAbsent, unreadable } from './file-errors.ts';

/** A file that becomes a document. */
export interface SourceFile {
  readonly id: string;
  /** Path below the sources, as the system writes it. */
  readonly source: string;
}

/** Every Markdown file below the folder, in id order; `onFound` hears how many there are so far. Two with the same id are a failure. */
export async function walkSources(
  root: string,
  gitignore: boolean,
  onFound: (count: number) => void,
): Promise<SourceFile[]> {
  const rules = gitignore ? await GitignoreRules.create(root) : undefined;
  const files: SourceFile[] = [];
  walk(root, '', rules, files, onFound);
  const compare = utf8OrderOf(files.map(({ id }) => id));
  files.sort((left, right) => compare(left.id, right.id));
  files.forEach(({ id, source }, index) => {
    const next = files[index + 1];
    if (next?.id === id) throw sameId(id, source, next.source);
  });
  return files;
}

function sameId(id: string, source: string, other: string): BinderyError {
  return new BinderyError('cache_invalid', {
    detail: `the sources ${source} and ${other} have the same id, ${id}`,
    next: 'Rename one of them: an id is the path in lower case, with / between its parts.',
  });
}

function walk(
  root: string,
  below: string,
  rules: GitignoreRules | undefined,
  files: SourceFile[],
  onFound: (count: number) => void,
): void {
  rules?.enter(below);
  for (const entry of readFolder(root, below)) {
    const path = below === '' ? entry.name : below + sep + entry.name;
    if (entry.isDirectory()) {
      if (!rules?.ignores(`${path}/`)) walk(root, path, rules, files, onFound);
    } else if (isMarkdown(entry.name) && isRegularFile(entry, root, path) && !rules?.ignores(path)) {
      files.push({ id: toDocumentId(path), source: path });
      onFound(files.length);
    }
  }
}

/** The extension is exactly `md`; a file that is called just `.md` has none. */
function isMarkdown(name: string): boolean {
  return name.endsWith('.md') && name.length > '.md'.length;
}

/** Symlinks to files are followed, and refused when read if they lead out of the sources; one that leads nowhere is no file. */
function isRegularFile(entry: Dirent, root: string, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile();
  try {
    return statSync(join(root, path)).isFile();
  } catch (thrown) {
    if (isAbsent(thrown)) return false;
    throw thrown;
  }
}

function readFolder(root: string, below: string): Dirent[] {
  const folder = join(root, below);
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (thrown) {
    throw unreadable(`the folder ${below === '' ? 'of the sources' : below}`, thrown);
  }
  // Node replaces what is not UTF-8 by U+FFFD, so only names with that character need a second look.
  const isDoubtful = entries.some((entry) => entry.name.includes('\ufffd'));
  if (isDoubtful && !readdirSync(folder, { encoding: 'buffer' }).every((name) => isUtf8(name))) {
    throw new BinderyError('internal_error', {
      detail: `the name of a source${below === '' ? '' : ` in ${below}`} is not valid UTF-8`,
      next: 'Rename it, or move it out of the sources.',
    });
  }
  return entries;
}

/** The `.gitignore` files from the sources' root down to the folder at hand; the deepest that says something decides. */
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
    // As Git does where names differ by case, and everywhere: equal sources give equal caches on every system.
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
