import { abortSignalOf } from '../../contract/cancellation.ts';
import { isObject } from '../../contract/json.ts';
import {
  type Approval,
  type ApprovalDecision,
  approvalForm,
  decisionFromClient,
} from '../../gateway/approval/approval.ts';
import type { Judgement } from '../../gateway/policy/decide.ts';
import { isAskable } from '../../wire/server-question.ts';
import type { ClientCall } from '../call/client-call.ts';
import { InputRequired } from './approval-ports.ts';
import { STATE_KEY } from './approval-states.ts';

export type ClientDecision = Omit<ApprovalDecision, 'by' | 'via'>;

/** Whether policy allows the client as a surface, and the client can be asked. */
export function asksInClient({ client }: ClientCall, { surfaces }: Judgement): boolean {
  return surfaces.includes('client') && isAskable(client, 'elicitation/create');
}

/** Asks a 2025 client. An answer without a decision leaves the question open for other surfaces. */
export async function askInClient(
  { exchange, judgement }: ClientCall & { readonly judgement: Judgement },
  pending: Approval,
  until: AbortSignal,
): Promise<ClientDecision | undefined> {
  const params = { message: pending.shown, requestedSchema: approvalForm(judgement.remember) };
  const answer = await exchange
    .ask('elicitation/create', params, AbortSignal.any([until, abortSignalOf(exchange.signal)]))
    .catch(() => undefined);
  return answer && decisionFromClient(answer, judgement.remember);
}

/**
 * The decision in the retry of a 2026 client. Throws `InputRequired` with the question if the retry has no answer. An answer counts
 * only for its own question: `carried` is the approval that the state of the retry names.
 */
export function askByResult(
  { request, judgement }: ClientCall & { readonly judgement: Judgement },
  pending: Approval,
  carried: string | undefined,
  sign: () => string,
): ClientDecision | undefined {
  const responses = request.params?.inputResponses;
  const answer = isObject(responses) ? responses[STATE_KEY] : undefined;
  if (isObject(answer) && carried === pending.id)
    return decisionFromClient(isObject(answer.result) ? answer.result : answer, judgement.remember);
  const params = { mode: 'form', message: pending.shown, requestedSchema: approvalForm(judgement.remember) };
  const result = {
    resultType: 'input_required',
    inputRequests: { [STATE_KEY]: { method: 'elicitation/create', params } },
    requestState: sign(),
  };
  throw new InputRequired(result, pending.id);
}
