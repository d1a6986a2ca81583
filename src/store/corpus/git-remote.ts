import { COMMIT_ENV, type CommitOptions } from './commit-files.ts';
import { isGitRoot, runGit, stderrOf } from './run-git.ts';

const TIMEOUT_MS = 60_000;

/** A repository elsewhere that keeps a copy of the corpus, and where keepers may merge. */
export class GitRemote {
  readonly #dir: string;
  readonly #name: string;
  readonly #sign: boolean;
  #pushed: string | undefined;

  /** `name`: as `git remote` knows it. */
  constructor(dir: string, name: string, { sign = false }: CommitOptions = {}) {
    this.#dir = dir;
    this.#name = name;
    this.#sign = sign;
  }

  get name(): string {
    return this.#name;
  }

  /** The branches that the remote has below a name. */
  async branchesBelow(prefix: string): Promise<ReadonlySet<string>> {
    const listed = await this.#git(['ls-remote', '--quiet', this.#name, `refs/heads/${prefix}*`]);
    return new Set([...listed.matchAll(/\trefs\/heads\/(\S+)$/gm)].map(([, branch]) => branch as string));
  }

  /** Takes over what was merged there, and sends what was merged here. */
  async synchronise(): Promise<void> {
    await this.pull();
    await this.push();
  }

  /** Takes over what was merged there, where nothing here stands in its way. True: the folder changed. */
  async pull(): Promise<boolean> {
    if (!isGitRoot(this.#dir)) return false;
    const branch = await this.#branch();
    await this.#git(['fetch', '--quiet', this.#name, branch]).catch((error) => {
      // A branch that was never pushed is not there.
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
    // Both went on: changes of different files are joined, and a conflict is a person's to solve.
    const signing = this.#sign ? '--gpg-sign' : '--no-gpg-sign';
    await this.#git(['rebase', '--quiet', signing, theirs]).catch(async (error) => {
      await this.#git(['rebase', '--abort']).catch(() => {});
      throw error;
    });
    return true;
  }

  /** Sends the branch, if it went on since the last time. */
  async push(): Promise<void> {
    if (!isGitRoot(this.#dir)) return;
    const head = await this.#git(['rev-parse', '--quiet', '--verify', 'HEAD']).catch(() => '');
    if (head === '' || head === this.#pushed) return;
    await this.#git(['push', '--quiet', this.#name, `HEAD:refs/heads/${await this.#branch()}`]);
    this.#pushed = head;
  }

  /** Sends a branch of a proposal, in place of what it was. */
  async pushBranch(branch: string): Promise<void> {
    await this.#git(['push', '--quiet', '--force', this.#name, `${branch}:refs/heads/${branch}`]);
  }

  async deleteBranch(branch: string): Promise<void> {
    await this.#git(['push', '--quiet', this.#name, `:refs/heads/${branch}`]).catch((error) => {
      // The forge removes branches that it merged.
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
