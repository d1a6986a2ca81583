import { api } from '../data/api.ts';
import type { Approval } from '../data/types.ts';

export interface DecisionOptions {
  readonly remember?: 'none' | 'session';
  readonly reason?: string;
}

/** Decides as the server says it must be: what is approved is confirmed first, for these very arguments. */
export async function decide(
  { id }: Approval,
  decision: 'approve' | 'deny',
  { remember = 'none', reason = '' }: DecisionOptions = {},
): Promise<Approval> {
  const path = `/v1/approvals/${encodeURIComponent(id)}`;
  const headers: Record<string, string> = {};
  if (decision === 'approve') {
    const { confirmation } = await api<{ confirmation: string | null }>(`${path}/confirmation`, {
      method: 'POST',
      body: {},
    });
    if (confirmation !== null) headers['bindery-confirmation'] = confirmation;
  }
  return api(`${path}/decision`, {
    method: 'POST',
    headers,
    body: { decision, ...(decision === 'approve' ? { remember } : {}), ...(reason === '' ? {} : { reason }) },
  });
}
