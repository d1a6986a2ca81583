import { BinderyError } from '../../contract/errors.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import { type Judgement, judgeServer, type Now } from '../../gateway/policy/decide.ts';
import { judgeCached } from '../../gateway/policy/decision-cache.ts';
import { openingSentence } from '../../gateway/policy/hours.ts';
import { ambiguousMember } from '../../wire/object-members.ts';
import { RPC } from '../../wire/revisions.ts';
import { RpcFailure } from '../message/answers.ts';
import { namedMember } from '../message/client-message.ts';
import type { CallContext } from './call-context.ts';
import type { ClientCall, Target } from './client-call.ts';
import type { GatewayPorts } from './gateway-ports.ts';

/** The current policy decision on a call. Throws `RpcFailure` if two JSON parsers could read different arguments. */
export function judgeCall(ports: GatewayPorts, { client, request }: ClientCall, target: Target): Judgement {
  const layers = ports.policyLayers(client.profile);
  const now = () => Date.parse(ports.now());
  if (target.kind !== 'call') return judgeServer(layers, target.server, now);
  const judgement = judgeCached(layers, {
    server: target.server,
    tool: target.tool,
    now,
    ...(target.readOnly === undefined ? {} : { readOnly: target.readOnly }),
    arguments: { value: request.params?.arguments ?? {}, files: () => ports.filesOf(target.server, client) },
  });
  if (judgement.judgesArguments) refuseAmbiguous(request, 'arguments');
  if (judgement.decision.decision !== 'approval') return judgement;
  const allowed = ports.approvalSurfaces(client);
  return { ...judgement, surfaces: judgement.surfaces.filter((surface) => allowed.includes(surface)) };
}

/** Throws `RpcFailure` if two JSON parsers could read this member of the params differently. */
export function refuseAmbiguous({ bytes, spans }: ClientCall['request'], name: 'arguments' | 'inputResponses'): void {
  const span = spans.params?.get(name);
  const twice = span && ambiguousMember(bytes, span);
  if (twice === undefined) return;
  const of = name === 'arguments' ? 'the arguments' : name;
  throw new RpcFailure(
    RPC.invalidRequest,
    `Invalid request: the member ${namedMember(twice)} of ${of} is a duplicate, or differs from another member only in case`,
    { data: { code: 'INVALID_ARGUMENTS' } },
  );
}

/** Stage: refuses calls that policy denies, and definitions that a person has not accepted yet. */
export function authorize({ ports, request, target, judgement }: CallContext): undefined {
  refuseDenied(judgement);
  if (target.held) throw new BinderyError(target.held);
  // A retry with other arguments would be recorded with arguments that were never sent.
  ports.held.refuseChangedArguments(request);
}

/** Checks again after a person has approved: policy and definition may have changed in the meantime. */
export function authorizeApproved(call: CallContext, approved: CallContext['approved']): void {
  call.judgement = judgeCall(call.ports, call, call.target);
  refuseDenied(call.judgement, approved);
  const held = call.target.heldNow?.();
  if (held) throw new BinderyError(held);
}

/** Refuses denied calls, calls that no surface can approve, and approvals from a surface that policy does not allow. */
function refuseDenied({ decision, surfaces }: Judgement, approved?: CallContext['approved']): void {
  if (decision.decision === 'deny') {
    const detail = [decision.reason, refusedArgument(decision)].filter((part) => part != null).join('; ');
    throw new BinderyError('POLICY_DENIED', {
      ...(detail ? { detail } : {}),
      ...openingHint(decision),
      members: { rule: decision.rule },
    });
  }
  if (decision.decision === 'approval' && surfaces.length === 0) {
    throw new BinderyError('POLICY_DENIED', {
      detail: 'a person has to approve this call, and no approval surface is allowed',
      next: 'Ask the person who keeps the policy and the config: the lists of surfaces in policy, config, profile and key do not overlap.',
      members: { rule: decision.rule },
    });
  }
  const via = approved?.approval.decided_via;
  if (approved && via && decision.decision === 'approval' && !surfaces.includes(via)) {
    throw new BinderyError('APPROVAL_DENIED', {
      detail: `approvals from the surface ${via} are not accepted for this call`,
      members: { approval_id: approved.approval.id },
    });
  }
}

/** Tells a caller outside the allowed hours when to call again. */
function openingHint({ opens_at }: Judgement['decision']): { readonly next?: string } {
  return opens_at === undefined ? {} : { next: openingSentence(opens_at) };
}

/** Names the refused argument, so that a model can write another. The resolved path is not disclosed. */
function refusedArgument({ refused }: Judgement['decision']): string | undefined {
  if (!refused) return undefined;
  return visibleLine(refused.pointer === null ? refused.why : `the argument at ${refused.pointer} ${refused.why}`);
}

/** Throws if policy denies the client everything on a server. Without `now`, hours are ignored. */
export function refuseDeniedServer(
  ports: GatewayPorts,
  { profile }: { readonly profile: string },
  server: string,
  now?: Now,
): void {
  if (judgeServer(ports.policyLayers(profile), server, now).decision.decision !== 'deny') return;
  throw new RpcFailure(RPC.internalError, 'POLICY_DENIED: Policy does not allow this server', {
    data: { code: 'POLICY_DENIED', server },
  });
}
