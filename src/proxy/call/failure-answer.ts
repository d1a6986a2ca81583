import type { BinderyError } from '../../contract/errors.ts';
import { RPC } from '../../wire/revisions.ts';
import { errorBytes, idText, resultBytes } from '../message/answers.ts';
import type { Client } from '../message/client.ts';
import type { CallContext } from './call-context.ts';

/** The answer to a call that the gateway did not pass on, or that brought no answer. */
export function failureAnswer(
  { client, request, exchange, target, callId }: CallContext,
  error: BinderyError,
): Uint8Array {
  const { retry_after_ms } = error.members;
  if (typeof retry_after_ms === 'number') exchange.setHeader('retry-after', String(Math.ceil(retry_after_ms / 1_000)));
  if (target.kind === 'call') {
    return resultBytes(
      request,
      failedCallResult(error, client, { server: target.server, tool: target.tool, call_id: callId }),
    );
  }
  const data = { code: error.code, server: target.server, call_id: callId, retry_after_ms };
  return errorBytes(idText(request), RPC.internalError, `${error.code}: ${error.row.title}`, data);
}

export interface FailedCallMembers {
  readonly server?: string;
  readonly tool?: string;
  readonly call_id?: string;
}

/** The result of a call that failed here: a model can read it and go on. */
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
