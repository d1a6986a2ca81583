import type { ProposalPort } from '../../civic/review/follow-proposals.ts';
import { isMerged, makeBranch, removeBranch } from '../../store/corpus/git-branches.ts';
import type { GitRemote } from '../../store/corpus/git-remote.ts';
import type { Forge } from './civic-forge.ts';

export interface ProposalOptions {
  readonly dir: string;
  /** Absent: branches stay in this repository. */
  readonly remote?: GitRemote | undefined;
  /** Absent: there are branches, and nobody is asked to merge them. */
  readonly forge?: Forge | undefined;
}

/** Queue items as branches of the corpus repository, and as requests at a forge. */
export function gitProposals({ dir, remote, forge }: ProposalOptions): ProposalPort {
  return {
    async pull() {
      await remote?.pull();
    },
    async open(branch, file, message) {
      await makeBranch(dir, branch, file, message);
      await remote?.pushBranch(branch);
      if (!forge) return {};
      const [subject = branch, ...body] = message.trimEnd().split('\n');
      return forge.open(branch, subject, body.join('\n').trim());
    },
    async state({ branch, number }) {
      if (await isMerged(dir, branch)) return 'merged';
      if (forge && number !== undefined) return forge.state(number);
      // A keeper who removes the branch does not want it.
      return (await isMerged(dir, branch)) === undefined ? 'closed' : 'open';
    },
    async close({ branch, number }) {
      if (forge && number !== undefined && (await forge.state(number)) === 'open') await forge.close(number);
      await remote?.deleteBranch(branch);
      await removeBranch(dir, branch);
    },
  };
}
