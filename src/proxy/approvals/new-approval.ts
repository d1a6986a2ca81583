import { shownArguments } from '../../contract/shown-arguments.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import { type Approval, argumentsSha256, shownText } from '../../gateway/approval/approval.ts';
import type { JudgedCall } from '../call/client-call.ts';
import type { ApprovalGateOptions } from './approval-ports.ts';

/** A call that a person is asked about. */
export type AskedCall = Omit<JudgedCall, 'startedMs'>;

/** The question about a call, as approvers see it. */
export function newApproval(
  { client, request, target, judgement, callId }: AskedCall,
  options: ApprovalGateOptions,
): Approval {
  const args = request.params?.arguments ?? {};
  const now = options.clock.now();
  const { decision } = judgement;
  const redactor = options.redactor.of(target.server);
  const { value, masked, cut } = shownArguments(args, (text) => redactor.known(text), redactor.keep);
  const described = {
    id: options.newApprovalId(),
    status: 'pending' as const,
    server: target.server,
    tool: target.tool,
    name: target.name,
    arguments: value,
    masked,
    ...(cut.length > 0 ? { cut } : {}),
    arguments_sha256: argumentsSha256(args),
    reason: decision.reason,
  };
  return {
    ...described,
    rule: { file: decision.file, line: decision.line, pointer: decision.pointer },
    caller: client.caller,
    profile: client.profile,
    session: client.session ?? null,
    client: client.info ? { name: visibleLine(client.info.name), version: visibleLine(client.info.version) } : null,
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + options.settings().expires_ms).toISOString(),
    decided_at: null,
    decided_by: null,
    decided_via: null,
    decision_reason: null,
    remember: 'none',
    remember_allowed: judgement.remember,
    surfaces: judgement.surfaces,
    shown: shownText(described),
    call_id: callId,
  };
}
