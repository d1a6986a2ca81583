import { notPending } from '../../gateway/approval/approval.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import type { ApprovalStore } from '../../store/approvals/approval-store.ts';
import { revealArguments } from './approvals.ts';

interface FileApprovalsOptions {
  readonly dataDir: string;
  readonly approvals: ApprovalStore;
  now(): number;
}

/** Approvals from the files, while no gateway runs. */
export function fileApprovals({ dataDir, approvals, now }: FileApprovalsOptions): GatewayDeps['approvals'] {
  return {
    list: (filter, limit, offset) => approvals.list(filter, limit, offset),
    count: (filter) => approvals.count(filter),
    find: (id) => approvals.find(id),
    reveal: (id, path) => revealArguments(dataDir, approvals, id, path),
    decide: (id, decision) => {
      const decided = approvals.decide(id, decision, new Date(now()).toISOString());
      if (!decided) throw notPending(approvals.find(id));
      return decided;
    },
    remembered: () => approvals.allRemembered(new Date(now()).toISOString()),
    forget: (id) => approvals.forget(id),
  };
}
