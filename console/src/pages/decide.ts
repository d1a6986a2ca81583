import { api, Problem } from '../data/api.ts';
import { settle } from '../data/live.ts';
import type { Approval } from '../data/types.ts';
import { t } from '../texts.ts';

export interface DecisionOptions {
  readonly remember?: 'none' | 'session';
  readonly reason?: string;
}

/**
 * Decides exactly what the person saw: it first confirms the approval, for its id and the digest of the shown arguments.
 * The approval counts as decided once the server has answered.
 */
export async function decide(
  { id, arguments_sha256 }: Approval,
  decision: 'approve' | 'deny',
  { remember = 'none', reason = '' }: DecisionOptions = {},
): Promise<void> {
  const path = `/v1/approvals/${encodeURIComponent(id)}`;
  const headers: Record<string, string> = {};
  if (decision === 'approve') {
    const asked = await api<{ confirmation: string | null; arguments_sha256: string }>(`${path}/confirmation`, {
      method: 'POST',
      body: {},
    });
    if (asked.arguments_sha256 !== arguments_sha256)
      throw new Problem(409, {
        title: t.approvals.notShown,
        next: t.approvals.notShownNext,
        code: 'APPROVAL_MISMATCH',
      });
    if (asked.confirmation !== null) headers['bindery-confirmation'] = asked.confirmation;
  }
  settle(
    await api<Approval>(`${path}/decision`, {
      method: 'POST',
      headers,
      body: { decision, ...(decision === 'approve' ? { remember } : {}), ...(reason === '' ? {} : { reason }) },
    }),
  );
}
