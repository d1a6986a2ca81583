import type { Surface } from '../../contract/approval-surfaces.ts';
import { BinderyError } from '../../contract/errors.ts';
import type { CutText } from '../../contract/shown-arguments.ts';
import { jsonOfVisible, stillVisibleLine, visibleLine } from '../../contract/visible-text.ts';
import { canonicalJson } from '../audit/canonical-json.ts';
import { sha256Hex } from '../audit/chain.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import type { Remember } from '../policy/policy-document.ts';

export type ApprovalStatus = 'pending' | 'approved' | 'used' | 'denied' | 'expired';

/** What an approval is for: equal keys are the same question. */
export interface ApprovalKey {
  readonly caller: string;
  readonly profile: string;
  readonly server: string;
  readonly tool: string;
  readonly arguments_sha256: string;
}

/** A question to a person about one call, and what became of it. */
export interface Approval {
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly server: string;
  readonly tool: string;
  /** The public name that the client called. */
  readonly name: string;
  /** As an approver is shown them: secrets masked, hidden characters made visible. */
  readonly arguments: unknown;
  /** JSON pointers to the values in which something is masked. */
  readonly masked: readonly string[];
  /** Texts of which only a beginning is shown; absent: there is none. */
  readonly cut?: readonly CutText[];
  readonly arguments_sha256: string;
  readonly reason: string | null;
  readonly rule: { readonly file: string | null; readonly line: number | null; readonly pointer: string | null };
  readonly caller: string;
  readonly profile: string;
  readonly session: string | null;
  readonly client: { readonly name: string; readonly version: string } | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly decided_at: string | null;
  readonly decided_by: string | null;
  readonly decided_via: Surface | null;
  readonly decision_reason: string | null;
  readonly remember: 'none' | 'session' | 'always';
  readonly remember_allowed: Remember;
  /** Where a person may approve it. */
  readonly surfaces: readonly Surface[];
  /** The text that the person was shown. */
  readonly shown: string;
  readonly call_id: string;
}

/** What a remembered yes is for: any arguments. */
export type RememberedKey = Omit<ApprovalKey, 'arguments_sha256'>;

/** A yes that lets any later arguments of its tool pass. */
export interface RememberedApproval extends RememberedKey {
  readonly id: string;
  /** `always`, a session, or for clients without one, who they say they are. */
  readonly scope: string;
  readonly via: Surface;
  readonly expires_at: string;
  /** The approval that it came from; null: an older version did not keep it. */
  readonly approval_id: string | null;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
}

/** How a yes that is remembered was given, and until when it counts. */
export type GivenYes = Pick<RememberedApproval, 'via' | 'expires_at'> &
  Partial<Pick<RememberedApproval, 'approval_id' | 'decided_by' | 'decided_at'>>;

/** The id of what is remembered under a key. */
export function rememberedId({ caller, profile, server, tool }: RememberedKey, scope: string): string {
  return `rem_${sha256Hex(canonicalJson([caller, profile, server, tool, scope])).slice(0, 24)}`;
}

/** A decision that comes too late: what was decided before, by whom and when. */
export function notPending(found: Approval | undefined): BinderyError {
  const { status = 'unknown', decided_by = null, decided_via = null, decided_at = null } = found ?? {};
  const verdict = status === 'denied' ? 'denied' : 'approved';
  return new BinderyError('APPROVAL_NOT_PENDING', {
    ...(decided_by === null ? {} : { detail: `${decided_by} (${decided_via}) ${verdict} it at ${decided_at}` }),
    members: {
      approval_status: status,
      ...(decided_by === null ? {} : { decided_by, decided_via, decided_at }),
    },
  });
}

/** Which questions are asked for; every member narrows. */
export interface ApprovalFilter {
  readonly status?: ApprovalStatus | undefined;
  readonly profiles?: readonly string[] | undefined;
}

/** How a person decided. */
export interface ApprovalDecision {
  readonly decision: 'approve' | 'deny';
  readonly by: string;
  readonly via: Surface;
  readonly reason?: string | undefined;
  readonly remember?: 'none' | 'session' | 'always' | undefined;
}

/** Digest of the whole arguments: what is approved is what was digested, not what was shown. */
export function argumentsSha256(args: unknown): string {
  return sha256Hex(canonicalJson(args ?? {}));
}

type ShownParts = Pick<Approval, 'id' | 'server' | 'tool' | 'reason' | 'arguments' | 'masked' | 'arguments_sha256'>;

/** What a person is shown in a client: who asks for what, why, and the arguments. What is cut is said, with its size and where to read it. */
export function shownText(approval: ShownParts): string {
  const { arguments: args, id } = approval;
  const text = jsonOfVisible(args ?? {}, 2);
  const max = GATEWAY_LIMITS.approvalShownCharsMax;
  if (text.length <= max) return questionText(approval, text, []);
  const more = `Read all of it with: bindery approvals show ${id}`;
  // Half of a character would be shown as another one.
  const cut = text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
  return questionText(approval, `${cut}\n… ${text.length - cut.length} more characters`, [more]);
}

/** The same with the arguments whole, however long they are. */
export function wholeText(approval: ShownParts): string {
  return questionText(approval, jsonOfVisible(approval.arguments ?? {}, 2), []);
}

function questionText(
  { id, server, tool, reason, masked, arguments_sha256 }: ShownParts,
  args: string,
  more: readonly string[],
): string {
  const max = GATEWAY_LIMITS.approvalMaskedNamedMax;
  const parts = masked.slice(0, max).map((pointer) => `  ${pointer}`);
  if (masked.length > max) parts.push(`  and ${masked.length - max} more`);
  return [
    stillVisibleLine(`Allow ${server}/${tool}?`),
    ...(reason ? [stillVisibleLine(reason)] : []),
    args,
    `Digest of the arguments: ${arguments_sha256}`,
    ...(masked.length > 0 ? [`Masked; show one with: bindery approvals show ${id} --reveal POINTER`, ...parts] : []),
    ...more,
  ].join('\n');
}

/** The form that a client shows its person. */
export function approvalForm(rememberAllowed: Remember): object {
  const remember = {
    type: 'string',
    title: 'Remember',
    enum: ['none', 'session', ...(rememberAllowed === 'always' ? ['always'] : [])],
  };
  return {
    type: 'object',
    properties: {
      decision: { type: 'string', title: 'Decision', enum: ['approve', 'deny'] },
      reason: { type: 'string', title: 'Reason', maxLength: 500 },
      ...(rememberAllowed === 'never' ? {} : { remember }),
    },
    required: ['decision'],
  };
}

/** Reads a client's answer to the form; undefined: no decision was made. */
export function decisionFromClient(
  answer: Readonly<Record<string, unknown>>,
  rememberAllowed: Remember,
): Omit<ApprovalDecision, 'by' | 'via'> | undefined {
  if (answer.action === 'decline') return { decision: 'deny' };
  const content = answer.content as Readonly<Record<string, unknown>> | undefined;
  if (answer.action !== 'accept' || (content?.decision !== 'approve' && content?.decision !== 'deny')) return undefined;
  const reason = typeof content.reason === 'string' ? content.reason.slice(0, 500) : undefined;
  const remember = content.remember === 'session' || content.remember === 'always' ? content.remember : 'none';
  return { decision: content.decision, reason, remember: mayRemember(remember, rememberAllowed) ? remember : 'none' };
}

export function mayRemember(remember: 'none' | 'session' | 'always', allowed: Remember): boolean {
  return remember === 'none' || allowed === 'always' || (allowed === 'session' && remember === 'session');
}

type Asker = Pick<Approval, 'session' | 'caller' | 'profile' | 'client'>;

/** The scopes in which a remembered approval counts, as far as the current policy allows it. */
export function rememberedScopes(asker: Asker, allowed: Remember): string[] {
  if (allowed === 'never') return [];
  return allowed === 'always' ? [sessionScope(asker), 'always'] : [sessionScope(asker)];
}

/** What "this session" means: the session itself, or for a client without one, who it says it is. */
export function sessionScope({ session, caller, profile, client }: Asker): string {
  // An approval has the name as it is shown.
  return session ?? `${caller}/${profile}/${visibleLine(client?.name ?? '')}`;
}
