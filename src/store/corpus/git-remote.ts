import { COMMIT_ENV, type CommitOptions } from './commit-files.ts';
import { isGitRoot, runGit, stderrOf } from './run-git.ts';

const TIMEOUT_MS = 60_000;

/** A remote repository with a copy of the corpus, where maintainers may merge. */
export class GitRemote {
  readonly #dir: string;
  readonly #name: string;
  readonly #sign: boolean;
  #pushed: string | undefined;

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

  /** Pulls what was merged there, and pushes what was merged here. */
  async synchronise(): Promise<void> {
    await this.pull();
    await this.push();
  }

  /** Pulls what was merged there, if nothing conflicts. True: the folder changed. */
  async pull(): Promise<boolean> {
    if (!isGitRoot(this.#dir)) return false;
    const branch = await this.#branch();
    await this.#git(['fetch', '--quiet', this.#name, branch]).catch((error) => {
      // A branch that was never pushed does not exist there.
      if (!/couldn't find remote ref/.test(stderrOf(error))) throw error;
    });
    const theirs = await this.#git(['rev-parse', '--quiet', '--verify', `refs/remotes/${this.#name}/${branch}`]).catch(
      () => '',
    );
    const head = await this.#git(['rev-parse', 'HEAD']);
    if (theirs === '' || theirs === head || (await this.#isAncestor(theirs, head))) return false;
    if (await this.#isAncestor(head, theirs)) {
      await this.#git(['merge', '--quiet', '--ff-only', theirs]);
      return true;
    }
    // Both sides have commits: changes of different files are merged; a person must resolve a conflict.
    const signing = this.#sign ? '--gpg-sign' : '--no-gpg-sign';
    await this.#git(['rebase', '--quiet', signing, theirs]).catch(async (error) => {
      await this.#git(['rebase', '--abort']).catch(() => {});
      throw error;
    });
    return true;
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
