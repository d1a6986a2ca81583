import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FoundPrints, Left, LeftKind, PrintSearch } from '../../civic/review/print-search.ts';
import { hasPiece, type TextPrint, withoutPrints } from '../../civic/review/text-prints.ts';
import { gitError } from '../corpus/run-git.ts';

const GIT_MS_MAX = 60_000;
/** Read of a file, and of objects of git, at once. */
const CHUNK_BYTES = 8 * 1024 * 1024;
/** Windows across the end of a chunk are found in the next. */
const OVERLAP_BYTES = 64;
const SQLITE_HEADER = 'SQLite format 3\0';
/** Places that a report names. */
const PLACES_MAX = 200;
/** What a row of a table is; a table that is not named has no text of a submission. */
const ROW_KINDS: Readonly<Record<string, LeftKind>> = {
  civic_merges: 'merge',
  civic_proposals: 'branch',
  civic_submissions: 'submission',
  civic_queue: 'question',
};
const ROW_NAMES = ['submission_id', 'queue_id', 'id', 'name'];

export interface SearchedPlaces {
  readonly dataDir: string;
  readonly registryFile: string;
  readonly corpusDir: string;
}

/** Looks for erased texts in everything that the program writes: its data, the corpus, and every object of a repository. */
export function findPrints({ dataDir, registryFile, corpusDir }: SearchedPlaces, search: PrintSearch): FoundPrints {
  const inCorpus = new Map(corpusFiles(corpusDir).map((path) => [path, findInFile(join(corpusDir, path), search)]));
  const foreign = [...inCorpus].filter(([path]) => !search.files.has(path));
  const shared = foreign.filter(([, found]) => hasPiece(search.pieces, found)).map(([path]) => path);
  const own = { ...search, pieces: withoutPrints(search.pieces, new Set(foreign.flatMap(([, found]) => [...found]))) };
  if (own.pieces.length === 0) return { left: [], shared };
  const left: Left[] = [
    ...[...inCorpus]
      .filter(([path, found]) => search.files.has(path) && hasPiece(own.pieces, found))
      .map(([path]): Left => ({ place: path, kind: 'corpus_file' })),
    ...dataFiles(dataDir, registryFile).flatMap((path) => leftInDataFile(path, registryFile, own)),
    ...leftInGit(corpusDir, own),
  ];
  return { left: left.slice(0, PLACES_MAX), shared };
}

/** Files of the corpus, without its repository. */
function corpusFiles(dir: string): string[] {
  return filesBelow(dir)
    .map((path) => relative(dir, path))
    .filter((path) => path !== '.git' && !path.startsWith('.git/'));
}

function dataFiles(dataDir: string, registryFile: string): string[] {
  const elsewhere = ['', '-wal', '-shm', '-journal']
    .map((end) => `${registryFile}${end}`)
    .filter((path) => existsSync(path));
  return [...new Set([...filesBelow(dataDir), ...elsewhere])];
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile());
}

function findInFile(path: string, { printer, pieces }: PrintSearch): Set<TextPrint> {
  const found = new Set<TextPrint>();
  const wanted = pieces.flat();
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    let at = 0;
    for (;;) {
      const length = readSync(file, buffer, 0, CHUNK_BYTES, at);
      for (const print of printer.findIn(buffer.subarray(0, length), wanted)) found.add(print);
      if (length < CHUNK_BYTES) return found;
      at += length - OVERLAP_BYTES;
    }
  } finally {
    closeSync(file);
  }
}

function leftInDataFile(path: string, registryFile: string, search: PrintSearch): Left[] {
  if (!hasPiece(search.pieces, findInFile(path, search))) return [];
  if (isCopy(path.replace(/-(?:wal|shm|journal)$/, ''), registryFile)) return [{ place: path, kind: 'backup' }];
  if (/-(?:wal|shm|journal)$/.test(path)) return [{ place: path, kind: 'unused_pages' }];
  if (!isDatabase(path)) return [{ place: path, kind: 'file' }];
  const rows = leftInRows(path, search);
  return rows.length > 0 ? rows : [{ place: path, kind: 'unused_pages' }];
}

/** Whether a database is a copy of the registry: what its rows have is not what the program has. */
function isCopy(path: string, registryFile: string): boolean {
  if (path === registryFile || !existsSync(path) || !isDatabase(path)) return false;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'civic_submissions'").get() !== undefined;
  } finally {
    database.close();
  }
}

function isDatabase(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(SQLITE_HEADER.length);
    readSync(file, head, 0, head.length, 0);
    return head.toString('latin1') === SQLITE_HEADER;
  } finally {
    closeSync(file);
  }
}

function leftInRows(path: string, { printer, pieces }: PrintSearch): Left[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
    return tables.flatMap(({ name }) => {
      const left: Left[] = [];
      for (const row of database.prepare(`SELECT * FROM "${name.replaceAll('"', '""')}"`).iterate()) {
        const bytes = Buffer.concat(Object.values(row).map(bytesOf));
        if (!hasPiece(pieces, printer.findIn(bytes, pieces.flat()))) continue;
        const id = ROW_NAMES.map((column) => row[column]).find((value) => typeof value === 'string');
        left.push({ place: `${path}: ${name} ${id ?? ''}`.trim(), kind: ROW_KINDS[name] ?? 'row' });
      }
      return left;
    });
  } finally {
    database.close();
  }
}

function bytesOf(value: unknown): Uint8Array {
  if (typeof value === 'string') return Buffer.from(`${value}\n`);
  return value instanceof Uint8Array ? value : new Uint8Array();
}

/** Objects of git are compressed, so that searching its files proves nothing: each is read, also those that no branch has. */
function leftInGit(dir: string, search: PrintSearch): Left[] {
  if (!existsSync(join(dir, '.git'))) return [];
  const gitDir = git(dir, ['rev-parse', '--absolute-git-dir']).trim();
  const files = filesBelow(gitDir)
    .filter((path) => !path.startsWith(join(gitDir, 'objects')))
    .filter((path) => hasPiece(search.pieces, findInFile(path, search)))
    .map((path): Left => ({ place: path, kind: 'git_file' }));
  const commits = new Set(git(dir, ['rev-list', '--all', '--reflog']).split('\n'));
  const places = new Map<string, Left>();
  for (const { id, type } of objectsWith(dir, search)) {
    const holders = type === 'commit' ? [id].filter((one) => commits.has(one)) : commitsThatTouch(dir, id);
    for (const commit of holders) places.set(commit, { place: `${dir} commit ${commit}`, kind: 'commit' });
    if (holders.length === 0) places.set(id, { place: `${dir} object ${id}`, kind: 'git_object' });
  }
  return [...files, ...places.values()];
}

function commitsThatTouch(dir: string, object: string): string[] {
  return git(dir, ['log', '--all', '--reflog', '--format=%H', `--find-object=${object}`])
    .split('\n')
    .filter((line) => line !== '');
}

interface GitObject {
  readonly id: string;
  readonly type: string;
}

function objectsWith(dir: string, { printer, pieces }: PrintSearch): GitObject[] {
  const found: GitObject[] = [];
  for (const chunk of objectChunks(dir)) {
    const input = chunk.map(({ id }) => `${id}\n`).join('');
    const output = gitBytes(dir, ['cat-file', '--batch', '--buffer'], input);
    let at = 0;
    for (const { id, type, bytes } of chunk) {
      const start = output.indexOf(0x0a, at) + 1;
      at = start + bytes + 1;
      if (hasPiece(pieces, printer.findIn(output.subarray(start, start + bytes), pieces.flat())))
        found.push({ id, type });
    }
  }
  return found;
}

/** All objects that have words in them, as many together as are read at once. */
function objectChunks(dir: string): (GitObject & { readonly bytes: number })[][] {
  const lines = git(dir, ['cat-file', '--batch-all-objects', '--batch-check']).split('\n');
  const chunks: (GitObject & { bytes: number })[][] = [];
  let room = 0;
  for (const line of lines) {
    const [id = '', type = '', size = '0'] = line.split(' ');
    const bytes = Number(size);
    if (type === 'tree' || type === '') continue;
    if (bytes > room || chunks.length === 0) {
      chunks.push([]);
      room = CHUNK_BYTES;
    }
    room -= bytes;
    chunks.at(-1)?.push({ id, type, bytes });
  }
  return chunks;
}

function git(dir: string, args: readonly string[]): string {
  return gitBytes(dir, args).toString('utf8');
}

function gitBytes(dir: string, args: readonly string[], input = ''): Buffer {
  try {
    return execFileSync('git', ['-C', dir, ...args], {
      input,
      timeout: GIT_MS_MAX,
      maxBuffer: Number.POSITIVE_INFINITY,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  } catch (thrown) {
    throw gitError(args, thrown);
  }
}
