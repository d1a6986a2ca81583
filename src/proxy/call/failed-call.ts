import type { BinderyError } from '../../contract/errors.ts';
import type { Client } from '../message/client.ts';

export interface FailedCallMembers {
  readonly server?: string;
  readonly tool?: string;
  readonly call_id?: string;
}

/** The result of a call that the gateway did not pass on, or that brought no answer: a model can read it and go on. */
export function failedCallResult(error: BinderyError, client: Client, members: FailedCallMembers): string {
  const { retry_after_ms, approval_id, rule } = error.members;
  const sentence = error.detail ?? error.row.title;
  return JSON.stringify({
    ...(client.era === '2026' ? { resultType: 'complete' } : {}),
    content: [{ type: 'text', text: `${error.code}: ${sentence.replace(/[.]?$/, '.')} ${error.next}` }],
    isError: true,
    _meta: { 'bindery/error': { code: error.code, ...members, retry_after_ms, approval_id, rule } },
  });
}
