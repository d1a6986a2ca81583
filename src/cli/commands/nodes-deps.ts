import { BinderyError } from '../../contract/errors.ts';
import { notPending } from '../../gateway/approval/approval.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { sharedAuditDeps } from '../../runtime/nodes/shared-audit.ts';
import type { ApprovalStore } from '../../store/approvals/approval-store.ts';
import { withSharedState } from './with-shared-state.ts';

export interface NodesDepsOptions {
  /** The address of the shared database. */
  readonly url: string;
  readonly registryFile: string;
  readonly approvals: ApprovalStore;
  now(): number;
}

/** Dependencies of commands that name the shared database: data of all nodes, and changes that apply to all of them. */
export async function nodesDeps(files: GatewayDeps, options: NodesDepsOptions): Promise<GatewayDeps> {
  const { url, registryFile, approvals, now } = options;
  const shared = <T>(work: Parameters<typeof withSharedState<T>>[2]) => withSharedState(url, registryFile, work);
  // Bring the local file up to date with the shared database.
  await shared(() => {});
  return {
    ...files,
    approvals: {
      ...files.approvals,
      decide: (id, decision) =>
        shared(async (state) => {
          const decided = await state.approvals(approvals).decide(id, decision, new Date(now()).toISOString());
          if (!decided) throw notPending(approvals.find(id));
          return decided;
        }),
      forget: (id) => shared((state) => state.approvals(approvals).forget(id)),
    },
    tools: {
      ...files.tools,
      accept: (server, seen) => shared(() => files.tools.accept(server, seen)),
    },
    audit: sharedAuditDeps(files.audit, (read) => shared((state) => state.audit.read(read))),
  };
}

/** With several nodes, approvals are decided in the shared database, not in one node's file. */
export function withoutDecisions(files: GatewayDeps): GatewayDeps {
  const refuse = async () => {
    throw new BinderyError('GATEWAY_NOT_RUNNING', {
      detail: 'these approvals are shared with other nodes: start this node, or add --db postgres://…',
    });
  };
  return { ...files, approvals: { ...files.approvals, decide: refuse, forget: refuse } };
}
