import { BinderyError } from '../../contract/errors.ts';
import type { ApprovedCall } from '../approvals/approval-ports.ts';
import { authorize, authorizeApproved } from './authorize.ts';
import type { CallContext } from './call-context.ts';
import type { LimitedTool } from './server-limiter.ts';

/** A stage throws to refuse the call. It returns a promise only if the call has to wait, so most calls create none. */
export type Stage = (call: CallContext) => Promise<void> | undefined;

/**
 * The stages before a call is sent. Their order keeps people from being asked about calls that could not be sent. The approval is used
 * last, so an open breaker or a full queue does not use it up, and no two calls can use it.
 */
const STAGES: readonly Stage[] = [authorize, limitRate, checkBreaker, approve, enqueue, useApproval];

/** Runs the stages from index `from` on. Returns undefined if no stage had to wait. */
export function admit(call: CallContext, from = 0): Promise<void> | undefined {
  for (let at = from; at < STAGES.length; at += 1) {
    const waiting = STAGES[at]?.(call);
    if (waiting) return waiting.then(() => admit(call, at + 1));
  }
  return undefined;
}

/** Stage: counts the call against the limits of its caller and its tool. */
function limitRate({ ports, client, target, judgement }: CallContext): Promise<void> | undefined {
  return ports.countRate(client, target, judgement.decision.limits.rate_per_minute);
}

/** Stage: refuses calls to a server whose circuit breaker is open. */
function checkBreaker(call: CallContext): undefined {
  call.limiter.checkBreaker(limitedTool(call));
}

/** Stage: waits for a person's approval if policy requires one. */
function approve(call: CallContext): Promise<void> | undefined {
  call.approved = undefined;
  if (call.judgement.decision.decision !== 'approval') return undefined;
  const askedMs = performance.now();
  return call.ports.approvals.approve(call).then((approved) => {
    call.approvalMs = (call.approvalMs ?? 0) + performance.now() - askedMs;
    authorizeApproved(call, approved);
    call.approved = approved;
  });
}

/** Stage: acquires a place among the calls that the server runs, or waits in its bounded queue. */
function enqueue(call: CallContext): Promise<void> | undefined {
  if (!call.ports.held.continuesCall(call.request))
    return call.limiter.acquire(limitedTool(call), call.exchange.signal);
  // The server is already running this call and waits for the answers in this request.
  call.limiter.acquireNow(limitedTool(call));
  return undefined;
}

/** Stage: uses the approval. If an equal call used it first, this call releases its place and asks again. */
function useApproval(call: CallContext): Promise<void> | undefined {
  return call.approved && useOnce(call, call.approved);
}

async function useOnce(call: CallContext, approved: ApprovedCall): Promise<void> {
  let isOurs = false;
  try {
    if (!approved.isRemembered) refuseDisconnected(call, approved);
    isOurs = await approved.use();
  } finally {
    if (!isOurs) call.limiter.release(limitedTool(call), 'abandoned');
  }
  if (!isOurs) await admit(call, STAGES.indexOf(checkBreaker));
}

/** An approval is used only while its client is connected and can get the answer. */
function refuseDisconnected({ exchange }: CallContext, { approval }: ApprovedCall): void {
  if (!exchange.left().aborted) return;
  throw new BinderyError('CANCELLED', {
    detail: 'the client left before the call was sent',
    members: { approval_id: approval.id },
  });
}

/** The key and the policy limits by which the server's limiter counts this call. */
export function limitedTool({ client, target, judgement }: CallContext): LimitedTool {
  return { tool: target.tool, concurrencyMax: judgement.decision.limits.max_concurrency, client };
}
