import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FoundPrints, Left, LeftKind, NumberedPiece, PrintSearch } from '../../civic/review/print-search.ts';
import { piecesIn, printsOf, type TextPrint, withoutPrints } from '../../civic/review/text-prints.ts';
import { writtenTexts } from '../../civic/review/written-texts.ts';
import type { Item } from '../../civic/submissions/item-types.ts';
import { gitError } from '../corpus/run-git.ts';

const GIT_MS_MAX = 60_000;
/** Bytes read at once from a file or from git objects. */
const CHUNK_BYTES = 8 * 1024 * 1024;
/** Chunks overlap, so that windows across a boundary are found. */
const OVERLAP_BYTES = 64;
const SQLITE_HEADER = 'SQLite format 3\0';
/** Maximum places in a report. */
const PLACES_MAX = 200;
/** Kinds by table; other tables contain no text of submissions. */
const ROW_KINDS: Readonly<Record<string, LeftKind>> = {
  civic_merges: 'merge',
  civic_proposals: 'branch',
  civic_submissions: 'submission',
  civic_queue: 'question',
};
const ROW_NAMES = ['queue_id', 'submission_id', 'id', 'name'];

export interface SearchedPlaces {
  readonly dataDir: string;
  readonly registryFile: string;
  readonly corpusDir: string;
}

/** Searches for erased texts in everything that the program writes: its data, the corpus, and every git object. */
export function findPrints({ dataDir, registryFile, corpusDir }: SearchedPlaces, search: PrintSearch): FoundPrints {
  const inCorpus = new Map(corpusFiles(corpusDir).map((path) => [path, findInFile(join(corpusDir, path), search)]));
  const foreign = [...inCorpus].filter(([path]) => !search.files.has(path));
  const shared = foreign.filter(([, found]) => piecesIn(search.pieces, found).length > 0).map(([path]) => path);
  const own = { ...search, pieces: withoutPrints(search.pieces, new Set(foreign.flatMap(([, found]) => [...found]))) };
  if (own.pieces.length === 0) return { left: [], alike: [], shared };
  const inGit = placesInGit(corpusDir, own);
  const places: Place[] = [
    ...[...inCorpus]
      .filter(([path]) => search.files.has(path))
      .flatMap(([path, found]) => leftAt({ place: path, kind: 'corpus_file' }, own, found)),
    ...search.pages.flatMap(({ place, text }) => placesInPage(place, text, own, inGit)),
    ...dataFiles(dataDir, registryFile).flatMap((path) => leftInDataFile(path, registryFile, own)),
    ...inGit,
  ];
  const [alike, left] = [true, false].map((isAlike) =>
    places
      .filter((one) => (one.isAlike ?? false) === isAlike)
      .map(({ place, kind, pieces }) => ({ place, kind, pieces }))
      .slice(0, PLACES_MAX),
  ) as [Left[], Left[]];
  return { left, alike, shared };
}

/** A place; alike if the sender of another submission wrote the words there. */
type Place = Left & { readonly isAlike?: true };

/** A page hides what was erased: what it still shows of the messages of other submissions is theirs. */
function placesInPage(place: string, text: string, search: PrintSearch, inGit: readonly Place[]): Place[] {
  const theirs = new Set(inGit.flatMap(({ isAlike, pieces }) => (isAlike ? pieces : [])));
  const found = search.printer.findIn(Buffer.from(text), printsOf(search.pieces));
  return divided({ place, kind: 'public_page' }, piecesIn(search.pieces, found), theirs);
}

/** What is left at a place, and what only reads alike. */
function divided(
  at: Omit<Left, 'pieces'>,
  found: readonly Pick<NumberedPiece, 'piece'>[],
  theirs: ReadonlySet<number>,
): Place[] {
  const numbers = found.map(({ piece }) => piece);
  const [own, alike] = [numbers.filter((one) => !theirs.has(one)), numbers.filter((one) => theirs.has(one))];
  return [
    ...(own.length === 0 ? [] : [{ ...at, pieces: own }]),
    ...(alike.length === 0 ? [] : [{ ...at, pieces: alike, isAlike: true as const }]),
  ];
}

/** A place with the pieces found in it; empty if there are none. */
function leftAt(at: Omit<Left, 'pieces'>, { pieces }: PrintSearch, found: ReadonlySet<TextPrint>): Left[] {
  const numbers = piecesIn(pieces, found).map(({ piece }) => piece);
  return numbers.length === 0 ? [] : [{ ...at, pieces: numbers }];
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
  const wanted = printsOf(pieces);
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

function leftInDataFile(path: string, registryFile: string, search: PrintSearch): Place[] {
  const found = findInFile(path, search);
  const at = (kind: LeftKind) => leftAt({ place: path, kind }, search, found);
  if (at('file').length === 0) return [];
  if (isCopy(path.replace(/-(?:wal|shm|journal)$/, ''), registryFile)) return at('backup');
  if (/-(?:wal|shm|journal)$/.test(path)) return at('unused_pages');
  if (!isDatabase(path)) return at('file');
  const rows = leftInRows(path, search);
  return rows.length > 0 ? rows : at('unused_pages');
}

/** Whether a database is a copy of the registry: hits in its rows are not hits in the live store. */
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

function leftInRows(path: string, search: PrintSearch): Place[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
    const theirs = wordsOfOthers(database, tables, search);
    return tables.flatMap(({ name }) => {
      const left: Place[] = [];
      for (const row of database.prepare(`SELECT * FROM "${name.replaceAll('"', '""')}"`).iterate()) {
        const bytes = Buffer.concat(Object.values(row).map(bytesOf));
        const id = ROW_NAMES.map((column) => row[column]).find((value) => typeof value === 'string');
        const at = { place: `${path}: ${name} ${id ?? ''}`.trim(), kind: rowKind(path, name, row) };
        const found = piecesIn(search.pieces, search.printer.findIn(bytes, printsOf(search.pieces)));
        const owner = name === 'civic_submissions' ? row.id : name === 'civic_queue' ? row.submission_id : undefined;
        left.push(...divided(at, found, theirs.get(owner) ?? new Set()));
      }
      return left;
    });
  } finally {
    database.close();
  }
}

/** The pieces that senders of other submissions wrote themselves, by submission; context lines of a diff are not their words. */
function wordsOfOthers(
  database: DatabaseSync,
  tables: readonly { readonly name: string }[],
  { printer, pieces, erased }: PrintSearch,
): ReadonlyMap<unknown, ReadonlySet<number>> {
  const words = new Map<unknown, ReadonlySet<number>>();
  if (!tables.some(({ name }) => name === 'civic_submissions')) return words;
  for (const { id, item } of database.prepare('SELECT id, item FROM civic_submissions').iterate()) {
    if (erased.has(String(id))) continue;
    const written = writtenTexts(JSON.parse(String(item)) as Item, () => false).map(({ text }) => text);
    const found = piecesIn(pieces, printer.findIn(Buffer.from(written.join('\n')), printsOf(pieces)));
    if (found.length > 0) words.set(id, new Set(found.map(({ piece }) => piece)));
  }
  return words;
}

function rowKind(path: string, table: string, row: Record<string, unknown>): LeftKind {
  if (row.status === 'held_ner' || row.class === 'ner_hold') return 'hold';
  if (row.status === 'staged') return 'staged';
  return ROW_KINDS[table] ?? (basename(path).startsWith('audit-') ? 'audit' : 'row');
}

function bytesOf(value: unknown): Uint8Array {
  if (typeof value === 'string') return Buffer.from(`${value}\n`);
  return value instanceof Uint8Array ? value : new Uint8Array();
}

/** Git objects are compressed, so searching the files is not enough: reads every object, even unreachable ones. */
function placesInGit(dir: string, search: PrintSearch): Place[] {
  if (!existsSync(join(dir, '.git'))) return [];
  const gitDir = git(dir, ['rev-parse', '--absolute-git-dir']).trim();
  const commits = new Set(git(dir, ['rev-list', '--all', '--reflog']).split('\n'));
  const places = new Map<string, Left>();
  const theirs = new Map<string, Place>();
  for (const { id, type, pieces, owner } of objectsWith(dir, search)) {
    if (owner !== undefined && !search.erased.has(owner)) {
      theirs.set(id, { place: `${dir} commit ${id}`, kind: 'commit', pieces, isAlike: true });
      continue;
    }
    const holders = type === 'commit' ? [id].filter((one) => commits.has(one)) : commitsThatTouch(dir, id);
    for (const commit of holders) {
      const all = new Set([...(places.get(commit)?.pieces ?? []), ...pieces]);
      places.set(commit, { place: `${dir} commit ${commit}`, kind: 'commit', pieces: [...all].sort((a, b) => a - b) });
    }
    if (holders.length === 0) places.set(id, { place: `${dir} object ${id}`, kind: 'git_object', pieces });
  }
  const files = filesBelow(gitDir)
    .filter((path) => !path.startsWith(join(gitDir, 'objects')))
    .flatMap((path) => placesInGitFile(path, search, theirs));
  return [...files, ...places.values(), ...theirs.values()];
}

/** Logs and the last message repeat messages: those of other submissions are theirs. */
function placesInGitFile(path: string, search: PrintSearch, theirs: ReadonlyMap<string, unknown>): Place[] {
  const found = piecesIn(search.pieces, findInFile(path, search));
  if (found.length === 0) return [];
  const text = readFileSync(path, 'utf8');
  const owner = ownerOf(text);
  const rest =
    owner !== undefined && !search.erased.has(owner)
      ? ''
      : text
          .split('\n')
          .filter((line) => !theirs.has(line.split(' ')[1] ?? ''))
          .join('\n');
  const own = new Set(piecesIn(search.pieces, search.printer.findIn(Buffer.from(rest), printsOf(search.pieces))));
  const alike = new Set(found.filter((one) => !own.has(one)).map(({ piece }) => piece));
  return divided({ place: path, kind: 'git_file' }, found, alike);
}

/** The submission that a message names. */
function ownerOf(message: string): string | undefined {
  return /^Submission: (sub_\S+)$/m.exec(message)?.[1];
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

/** An object with pieces; a commit names the submission that its message is of. */
type FoundObject = GitObject & Pick<Left, 'pieces'> & { readonly owner: string | undefined };

function objectsWith(dir: string, { printer, pieces }: PrintSearch): FoundObject[] {
  const found: FoundObject[] = [];
  for (const chunk of objectChunks(dir)) {
    const input = chunk.map(({ id }) => `${id}\n`).join('');
    const output = gitBytes(dir, ['cat-file', '--batch', '--buffer'], input);
    let at = 0;
    for (const { id, type, bytes } of chunk) {
      const start = output.indexOf(0x0a, at) + 1;
      at = start + bytes + 1;
      const content = output.subarray(start, start + bytes);
      const has = piecesIn(pieces, printer.findIn(content, printsOf(pieces)));
      if (has.length === 0) continue;
      const owner = type === 'commit' ? ownerOf(content.toString('utf8')) : undefined;
      found.push({ id, type, owner, pieces: has.map(({ piece }) => piece) });
    }
  }
  return found;
}

/** All objects that contain text, in chunks that are read at once. */
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
