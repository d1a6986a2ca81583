import { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a server (`node --import`). Once armed by a file, the server kills itself the n-th time it reaches a given point, after
 * recording where it is. The program itself knows nothing of this.
 */

/** Points between receiving a submission and answering it. */
export const WRITE_POINTS = ['submission inserted', 'salts committed', 'submission committed'] as const;
/** Points between the end of staging and the removal of the intent. */
export const MERGE_POINTS = [
  'intent inserted',
  'file not renamed yet',
  'file renamed',
  'file added to git',
  'git commit runs',
  'git commit done',
  'intent removed',
] as const;
export type KillPoint = (typeof WRITE_POINTS)[number] | (typeof MERGE_POINTS)[number];

/** The record that the server writes before it dies. */
export interface KillNote {
  readonly point: KillPoint;
  /** The last submission that was written. */
  readonly submissionId?: string;
}

/** Suffix of the file that arms the server, so that repairs at start do not trigger it. */
export const ARMED = '.armed';

const { CIVIC_KILL_POINT: point, CIVIC_KILL_HIT: hit, CIVIC_KILL_NOTE: note } = process.env;
/** How long git may take to start its commit. */
const GIT_BEGINS_MS = 10_000;

let hits = 0;
let submissionId: string | undefined;

function reach(here: KillPoint, last: () => void = () => {}): void {
  if (here !== point || !fs.existsSync(`${note}${ARMED}`) || ++hits < Number(hit)) return;
  last();
  const text: KillNote = { point: here, ...(submissionId === undefined ? {} : { submissionId }) };
  fs.writeFileSync(note as string, JSON.stringify(text));
  process.kill(process.pid, 'SIGKILL');
}

function watchStatements(): void {
  const { run } = StatementSync.prototype;
  StatementSync.prototype.run = function (this: StatementSync, ...values: SQLInputValue[]) {
    const sql = this.sourceSQL;
    const removesIntent = sql.startsWith('DELETE FROM civic_intents');
    if (removesIntent) reach('git commit done');
    const result = run.apply(this, values as never);
    if (removesIntent) reach('intent removed');
    if (sql.startsWith('INSERT INTO civic_intents')) reach('intent inserted');
    if (sql.startsWith('INSERT INTO civic_submissions')) {
      submissionId = String(values[0]);
      commits = 0;
      reach('submission inserted');
    }
    return result;
  } as typeof run;
}

/** Commits since the last inserted submission: the salts first, then the registry. */
let commits = 2;

function watchCommits(): void {
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
    exec.call(this, sql);
    if (sql !== 'COMMIT' || ++commits > 2) return;
    reach(commits === 1 ? 'salts committed' : 'submission committed');
  };
}

function watchFiles(): void {
  const { rename } = fs;
  const watched = (from: fs.PathLike, to: fs.PathLike, done: fs.NoParamCallback) => {
    const isArtefact = String(to).endsWith('canonical.md');
    if (isArtefact) reach('file not renamed yet');
    rename(from, to, (error) => {
      if (isArtefact && !error) reach('file renamed');
      done(error);
    });
  };
  fs.rename = Object.assign(watched, { __promisify__: rename.__promisify__ });
}

interface Spawned {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
}

function watchGit(): void {
  const prototype = ChildProcess.prototype as unknown as { spawn(options: Spawned): unknown };
  const { spawn } = prototype;
  prototype.spawn = function (this: ChildProcess, options: Spawned) {
    const isGit = options.file === 'git';
    if (isGit && options.args.includes('status')) reach('file added to git');
    const result = spawn.call(this, options);
    if (isGit && options.args.includes('commit')) reach('git commit runs', () => killInCommit(this, options.cwd));
    return result;
  };
}

/** Waits until git has locked the index, and kills git too, as the end of a container does. */
function killInCommit(git: ChildProcess, dir = ''): void {
  const until = Date.now() + GIT_BEGINS_MS;
  // Git waits for the message on its input, so it cannot finish before this process goes on.
  while (!hasLock(join(dir, '.git')) && Date.now() < until)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  git.kill('SIGKILL');
}

function hasLock(gitDir: string): boolean {
  return fs.readdirSync(gitDir).some((name) => name.endsWith('.lock'));
}

if (isMainThread && note !== undefined) {
  watchStatements();
  watchCommits();
  watchFiles();
  watchGit();
}
