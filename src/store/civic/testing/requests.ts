import { CAPABILITIES } from '../../../civic/config.ts';

let minted = 0;

/** A fresh UUID of version 7 behind a prefix. */
export function freshId(prefix: 'ses' | 'sub'): string {
  const hex = (++minted).toString(16).padStart(12, '0');
  return `${prefix}_01890000-0000-7000-8000-${hex}`;
}

/** The common members of a request. */
export function common(changes: object = {}) {
  return {
    schema_version: 1,
    session_id: freshId('ses'),
    submitted_at: '2026-11-02T12:00:00Z',
    submitting_agent: 'sample-agent/1.0',
    submission_contract_version: '1.0.0',
    declared_capabilities: [...CAPABILITIES],
    ...changes,
  };
}

/** The own members of one valid item per type, about the sample corpus. */
export const ITEMS = {
  concern: {
    target_type: 'skill',
    target_id: 'sample-move',
    kind: 'factual_error',
    report: 'The desk is on the second floor.',
  },
  amendment: {
    target_type: 'skill',
    target_id: 'sample-move',
    base_version: '1.0.0',
    content: {
      amendment_subtype: 'body_diff',
      body_diff: { diff: '@@ -16,2 +16,2 @@\n Bring the card.\n-Bring the form.\n+Bring the signed form.\n' },
    },
    rationale: 'The form must be signed.',
    evidence_url: 'https://law.example.org/2',
  },
  validation: { target_type: 'skill', target_id: 'sample-move', target_version: '1.0.0', verdict: 'confirm' },
  draft: {
    target_type: 'skill',
    proposed_id: 'sample-new',
    content: {
      frontmatter: { title: 'Sample new', summary: 'A new sample text.', category: 'sample-commune' },
      body: '# Sample new\n\nGo to the desk.\n',
    },
    commit_message: 'Add a sample.',
  },
  feedback: { body: 'The site is clear.', topic: 'praise' },
  rating: { target_type: 'skill', target_id: 'sample-move', axis: 'clarity', score: 4 },
} as const;

export const ROUTES = {
  concern: '/api/concerns',
  amendment: '/api/amendments',
  validation: '/api/validations',
  draft: '/api/drafts',
  feedback: '/api/feedback-channel',
  rating: '/api/ratings',
} as const;

export type ItemType = keyof typeof ITEMS;

/** A valid typed request, with changes to its own members. */
export function request(type: ItemType, changes: object = {}) {
  return { ...common(), ...ITEMS[type], ...changes };
}

/** A vote on a skill of the sample corpus. */
export function vote(verdict: 'confirm' | 'reject', targetId = 'sample-move', changes: object = {}) {
  const rationale = verdict === 'reject' ? { rationale: 'It did not work.' } : {};
  return request('validation', { target_id: targetId, verdict, ...rationale, ...changes });
}

/** The n-th of many addresses. */
export function address(n: number): string {
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
}

/** A traversal report of an agent on a source of the sample path. */
export function traversal(outcome: string, changes: object = {}) {
  const traversal_metadata = {
    attempted_at: '2026-11-02T11:00:00Z',
    outcome,
    signals_matched: ['form-visible'],
    duration_bucket: '1-5m',
  };
  const target = { target_type: 'path_source', target_id: 'sample-portal:web' };
  const rationale = `Run ${freshId('sub').slice(-6)}.`;
  const verdict = outcome === 'success' ? 'confirm' : 'reject';
  return { ...vote(verdict, 'sample-portal:web', { ...target, rationale, ...changes }), traversal_metadata };
}

/** The faults of a refused request, each as pointer and keyword. */
export function faults(body: { readonly errors: readonly { pointer: string; keyword: string }[] }): string[] {
  return body.errors.map(({ pointer, keyword }) => `${pointer} ${keyword}`);
}
