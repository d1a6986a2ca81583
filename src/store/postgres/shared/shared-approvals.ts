import type { Surface } from '../../../contract/approval-surfaces.ts';
import {
  type Approval,
  type ApprovalDecision,
  type ApprovalKey,
  type ApprovalStatus,
  type RememberedApproval,
  type RememberedKey,
  rememberedYes,
} from '../../../gateway/approval/approval.ts';
import { type PendingQuestion, refuseTooMany } from '../../../gateway/approval/pending-limits.ts';
import {
  type ApprovalStore,
  approvalRow,
  decidedApproval,
  pendingQuestion,
  rememberedRow,
  toApproval,
} from '../../approvals/approval-store.ts';
import type { SharedRegistry } from './shared-registry.ts';
import type { RowContent, SharedRow } from './shared-rows.ts';

const PART = 'approvals';
const REMEMBERED = 'remembered_approvals';

/**
 * Approval requests that people can decide on any node. Reads use the node's replica. Every change of state is made in PostgreSQL first, by
 * one writer at a time, so that only one node uses an approval.
 */
export class SharedApprovals {
  readonly #copy: ApprovalStore;
  readonly #registry: SharedRegistry;

  constructor(copy: ApprovalStore, registry: SharedRegistry) {
    this.#copy = copy;
    this.#registry = registry;
  }

  /** Updates the replica with decisions of other nodes; fails with `STORE_UNAVAILABLE` if the database is unreachable. */
  refresh(): Promise<void> {
    return this.#registry.catchUp();
  }

  find(id: string): Approval | undefined {
    return this.#copy.find(id);
  }

  statusOf(id: string): ApprovalStatus | undefined {
    return this.#copy.statusOf(id);
  }

  current(key: ApprovalKey, now: string): Approval | undefined {
    return this.#copy.current(key, now);
  }

  roundsOf(id: string): number | undefined {
    return this.#copy.roundsOf(id);
  }

  remembered(
    key: RememberedKey,
    scopes: readonly string[],
    surfaces: readonly Surface[],
    now: string,
  ): RememberedApproval | undefined {
    return this.#copy.remembered(key, scopes, surfaces, now);
  }

  /**
   * Stores a request, unless another node has just stored one for the same call; returns the one that counts. Limits apply across all
   * nodes.
   */
  async add(approval: Approval, sealed: string): Promise<Approval> {
    const { id, created_at } = approval;
    const asked = await this.#registry.write(async (rows, copied) => {
      const known = this.#copy.current(approval, created_at);
      const newer = (await rows.since(copied)).filter(({ part }) => part === PART);
      const same = newer.find((row) => row.content && isOpenFor(row.content, approval))?.content;
      if (same) return approvalOf(same);
      if (known && !newer.some(({ key }) => key === keyOf(known.id))) return known;
      const content = approvalRow(approval, sealed);
      refuseTooMany(pendingNow(this.#copy.pending(created_at), newer), pendingQuestion(content));
      await rows.put([{ part: PART, key: keyOf(id), content }]);
      return undefined;
    });
    return asked ?? approval;
  }

  /** The decision and what is to be remembered of it are one change. */
  decide(id: string, decision: ApprovalDecision, now: string): Promise<Approval | undefined> {
    return this.#registry.write(async (rows) => {
      const content = await rows.find(PART, keyOf(id));
      if (content?.status !== 'pending' || String(content.expires_at) <= now) return undefined;
      const decided = decidedApproval(approvalOf(content), decision, now);
      const sealed = decided.status === 'approved' ? (content.sealed ?? null) : null;
      const changed = { ...content, status: decided.status, body: JSON.stringify(decided), sealed };
      await rows.put([{ part: PART, key: keyOf(id), content: changed }, ...rememberedRows(decided)]);
      return decided;
    });
  }

  use(id: string, now: string): Promise<boolean> {
    return this.#change(id, (content) =>
      content.status === 'approved' && String(content.expires_at) > now
        ? { ...content, status: 'used', sealed: null }
        : undefined,
    );
  }

  useRound(id: string, round: number): Promise<boolean> {
    return this.#change(id, (content) =>
      content.status === 'used' && content.rounds === round ? { ...content, rounds: round + 1 } : undefined,
    );
  }

  /** Ids of the requests that this node expired; each request is expired by exactly one node. */
  async expire(now: string): Promise<string[]> {
    const due = this.#copy.due(now);
    const expired: string[] = [];
    for (const id of due) {
      const isOurs = await this.#change(id, (content) =>
        content.status === 'pending' || content.status === 'approved'
          ? { ...content, status: 'expired', sealed: null }
          : undefined,
      );
      if (isOurs) expired.push(id);
    }
    return expired;
  }

  withdraw(id: string): Promise<boolean> {
    return this.#change(id, (content) =>
      content.status === 'pending' ? { ...content, status: 'expired', sealed: null } : undefined,
    );
  }

  /** Deletes a remembered approval, and expires the approval that it came from if no call has used it. False if there is none with this id. */
  async forget(id: string): Promise<boolean> {
    await this.refresh();
    const found = this.#copy.allRemembered('').find((one) => one.id === id);
    if (!found) return false;
    await this.#registry.write(async (rows) => {
      await rows.put([{ part: REMEMBERED, key: rememberedKey(found), content: null }]);
      const key = found.approval_id === null ? undefined : keyOf(found.approval_id);
      const content = key === undefined ? undefined : await rows.find(PART, key);
      if (key !== undefined && content?.status === 'approved')
        await rows.put([{ part: PART, key, content: { ...content, status: 'expired', sealed: null } }]);
    });
    return true;
  }

  /** True if the row was in the required state and was changed. */
  #change(id: string, next: (content: RowContent) => RowContent | undefined): Promise<boolean> {
    return this.#registry.write(async (rows) => {
      const content = await rows.find(PART, keyOf(id));
      const changed = content && next(content);
      if (!changed) return false;
      await rows.put([{ part: PART, key: keyOf(id), content: changed }]);
      return true;
    });
  }
}

export function approvalOf(content: RowContent): Approval {
  return toApproval({ status: content.status as ApprovalStatus, body: String(content.body) });
}

/** All pending requests: those of the replica, updated by newer rows. */
function pendingNow(copied: readonly PendingQuestion[], newer: readonly SharedRow[]): PendingQuestion[] {
  const pending = new Map(copied.map((question) => [keyOf(question.id), question]));
  for (const { key, content } of newer) {
    pending.delete(key);
    if (content?.status === 'pending')
      pending.set(
        key,
        pendingQuestion({ id: content.id, caller: content.caller, party: content.party, body: content.body }),
      );
  }
  return [...pending.values()];
}

function rememberedRows(decided: Approval) {
  const yes = rememberedYes(decided);
  if (!yes) return [];
  const content = rememberedRow(decided, yes.scope, yes.given);
  return [{ part: REMEMBERED, key: rememberedKey(content), content }];
}

function rememberedKey({ caller, profile, server, tool, scope }: RememberedKey & { readonly scope: string }): string {
  return JSON.stringify([caller, profile, server, tool, scope]);
}

function keyOf(id: string): string {
  return JSON.stringify([id]);
}

function isOpenFor(content: RowContent, { caller, profile, server, tool, arguments_sha256, created_at }: Approval) {
  return (
    (content.status === 'pending' || content.status === 'approved') &&
    String(content.expires_at) > created_at &&
    content.caller === caller &&
    content.profile === profile &&
    content.server === server &&
    content.tool === tool &&
    content.arguments_sha256 === arguments_sha256
  );
}
