import type { FilesInTheWay } from '../../civic/submissions/desk.ts';
import { BinderyError } from '../../contract/errors.ts';
import { COMMIT_ENV, type CommitOptions } from './commit-files.ts';
import { changedPaths, editedAmong, moveHead, undoBegunMove } from './move-head.ts';
import { type Rebased, rebaseApart } from './rebase-apart.ts';
import { isGitRoot, runGit, stderrOf } from './run-git.ts';

const TIMEOUT_MS = 60_000;

/** A remote repository with a copy of the corpus, where maintainers may merge. */
export class GitRemote {
  readonly #dir: string;
  readonly #name: string;
  readonly #sign: boolean;
  #pushed: string | undefined;
  #inTheWay: FilesInTheWay | undefined;
  #joined: { readonly key: string; readonly rebased: Rebased } | undefined;

  /** `name`: as `git remote` lists it. */
  constructor(dir: string, name: string, { sign = false }: CommitOptions = {}) {
    this.#dir = dir;
    this.#name = name;
    this.#sign = sign;
  }

  get name(): string {
    return this.#name;
  }

  /** The remote's branches below a prefix. */
  async branchesBelow(prefix: string): Promise<ReadonlySet<string>> {
    const listed = await this.#git(['ls-remote', '--quiet', this.#name, `refs/heads/${prefix}*`]);
    return new Set([...listed.matchAll(/\trefs\/heads\/(\S+)$/gm)].map(([, branch]) => branch as string));
  }

  /** Pulls what was merged there, and pushes what was merged here. Throws if something is in the way of that. */
  async synchronise(): Promise<void> {
    await this.pull();
    if (this.#inTheWay) throw cannotTakeOver(this.#inTheWay);
    await this.push();
  }

  /**
   * Takes over what was merged there, unless something is in its way. Uncommitted edits of other files stay as they are. True: the folder
   * changed.
   */
  async pull(): Promise<boolean> {
    if (!isGitRoot(this.#dir)) return false;
    this.#inTheWay = undefined;
    await undoBegunMove(this.#dir);
    await this.#git(['fetch', '--quiet', this.#name, await this.#branch()]).catch((error) => {
      // A branch that was never pushed does not exist there.
      if (!/couldn't find remote ref/.test(stderrOf(error))) throw error;
    });
    const theirs = await this.#unpulled();
    if (theirs === undefined) return false;
    const joined = await this.#join(await this.#git(['rev-parse', 'HEAD']), theirs);
    if ('conflicts' in joined) {
      this.#inTheWay = { edited: [], both: joined.conflicts };
      return false;
    }
    const edited = await moveHead(this.#dir, joined.commit).catch((error) => {
      this.#joined = undefined;
      throw error;
    });
    if (edited.length > 0) this.#inTheWay = { edited, both: [] };
    return edited.length === 0;
  }

  /** What keeps the last fetched commits of the remote from being taken over; asks no network. Undefined: nothing. */
  async inTheWay(): Promise<FilesInTheWay | undefined> {
    const theirs = isGitRoot(this.#dir) ? await this.#unpulled() : undefined;
    const base = theirs && (await this.#git(['merge-base', 'HEAD', theirs]).catch(() => ''));
    if (!theirs || !base) return undefined;
    const there = await changedPaths(this.#dir, base, theirs);
    const here = new Set(await changedPaths(this.#dir, base, 'HEAD'));
    const edited = await editedAmong(this.#dir, there);
    const both = there.filter((path) => here.has(path) && !edited.includes(path));
    return edited.length + both.length === 0 ? undefined : { edited, both };
  }

  /** The last fetched commit of the remote's branch. */
  async tip(): Promise<string | undefined> {
    const ref = `refs/remotes/${this.#name}/${await this.#branch()}`;
    const id = await this.#git(['rev-parse', '--quiet', '--verify', ref]).catch(() => '');
    return id === '' ? undefined : id;
  }

  /** The last fetched commit of the remote, if HEAD does not have it. */
  async #unpulled(): Promise<string | undefined> {
    const theirs = await this.tip();
    return theirs === undefined || (await this.#isAncestor(theirs, 'HEAD')) ? undefined : theirs;
  }

  /** The commit that has both sides: changes of different lines are joined; a person must resolve a conflict. */
  async #join(head: string, theirs: string): Promise<Rebased> {
    if (await this.#isAncestor(head, theirs)) return { commit: theirs };
    // While an edit is in the way, the same two sides come again every minute.
    const key = `${head} ${theirs}`;
    if (this.#joined?.key !== key) {
      this.#joined = { key, rebased: await rebaseApart(this.#dir, head, theirs, { sign: this.#sign }) };
    }
    return this.#joined.rebased;
  }

  /** Pushes the branch if it has new commits. */
  async push(): Promise<void> {
    if (!isGitRoot(this.#dir)) return;
    const head = await this.#git(['rev-parse', '--quiet', '--verify', 'HEAD']).catch(() => '');
    if (head === '' || head === this.#pushed) return;
    await this.#git(['push', '--quiet', this.#name, `HEAD:refs/heads/${await this.#branch()}`]);
    this.#pushed = head;
  }

  /** Force-pushes the branch of a proposal. */
  async pushBranch(branch: string): Promise<void> {
    await this.#git(['push', '--quiet', '--force', this.#name, `${branch}:refs/heads/${branch}`]);
  }

  async deleteBranch(branch: string): Promise<void> {
    await this.#git(['push', '--quiet', this.#name, `:refs/heads/${branch}`]).catch((error) => {
      // The forge deletes merged branches.
      if (!/remote ref does not exist/.test(stderrOf(error))) throw error;
    });
  }

  async #isAncestor(older: string, newer: string): Promise<boolean> {
    return this.#git(['merge-base', '--is-ancestor', older, newer]).then(
      () => true,
      () => false,
    );
  }

  #branch(): Promise<string> {
    return this.#git(['symbolic-ref', '--short', 'HEAD']);
  }

  async #git(args: readonly string[]): Promise<string> {
    return (await runGit(this.#dir, args, { timeoutMs: TIMEOUT_MS, env: COMMIT_ENV })).trim();
  }
}

function cannotTakeOver({ edited, both }: FilesInTheWay): BinderyError {
  const [why, next] =
    edited.length > 0
      ? [
          `The remote changed ${edited.join(', ')}, and somebody edits it here: its changes are not committed.`,
          'Commit or discard them. Until then nothing is taken over from the remote or pushed to it.',
        ]
      : [
          `The remote and this repository changed the same lines of ${both.join(', ')}.`,
          'Run `git pull --rebase` in the corpus folder and resolve the conflict.',
        ];
  return new BinderyError('STORE_UNAVAILABLE', { detail: why, next });
}
