import { PROPOSAL_PREFIX, type ProposalPort } from '../../civic/review/follow-proposals.ts';
import type { CommitOptions } from '../../store/corpus/commit-files.ts';
import { isMerged, makeBranch, removeBranch } from '../../store/corpus/git-branches.ts';
import type { GitRemote } from '../../store/corpus/git-remote.ts';
import { isGitRoot } from '../../store/corpus/run-git.ts';
import type { Forge } from './civic-forge.ts';

export interface ProposalOptions extends CommitOptions {
  readonly dir: string;
  /** Absent: branches stay in this repository. */
  readonly remote?: GitRemote | undefined;
  /** Absent: branches have no merge requests. */
  readonly forge?: Forge | undefined;
}

/** Queue items as branches of the corpus repository, and as merge requests at a forge. */
export function gitProposals({ dir, remote, forge, sign }: ProposalOptions): ProposalPort {
  /** The remote's branches at the last pull. */
  let remoteBranches: ReadonlySet<string> | undefined;
  return {
    async pull() {
      await remote?.pull();
      remoteBranches = isGitRoot(dir) ? await remote?.branchesBelow(PROPOSAL_PREFIX) : undefined;
    },
    async open(branch, file, message) {
      await makeBranch(dir, branch, { ...file, message, sign });
      await remote?.pushBranch(branch);
      const pushed = remote ? { remote: remote.name } : {};
      if (!forge) return pushed;
      const [subject = branch, ...body] = message.trimEnd().split('\n');
      return { ...pushed, ...(await forge.open(branch, subject, body.join('\n').trim())) };
    },
    async state({ branch, path, number, remote: pushedTo }) {
      const merged = await isMerged(dir, branch, path);
      // An edit in the folder may keep the merge at the remote from being taken over: then the branch is not closed.
      const there = await remote?.tip();
      if (merged || (there !== undefined && (await isMerged(dir, branch, path, there)))) return 'merged';
      if (forge && number !== undefined) return forge.state(number);
      // A removed branch means that a keeper rejects it, here or at the remote.
      const isGoneThere = remote?.name === pushedTo && remoteBranches?.has(branch) === false;
      return merged === undefined || isGoneThere ? 'closed' : 'open';
    },
    async close({ branch, number }) {
      if (forge && number !== undefined && (await forge.state(number)) === 'open') await forge.close(number);
      await remote?.deleteBranch(branch);
      await removeBranch(dir, branch);
    },
  };
}
