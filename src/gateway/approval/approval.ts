import type { Surface } from '../../contract/approval-surfaces.ts';
import { BinderyError } from '../../contract/errors.ts';
import type { CutText } from '../../contract/shown-arguments.ts';
import { jsonOfVisible, stillVisibleLine, visibleLine } from '../../contract/visible-text.ts';
import { canonicalJson } from '../audit/canonical-json.ts';
import { sha256Hex } from '../audit/chain.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import type { Remember } from '../policy/policy-document.ts';

export type ApprovalStatus = 'pending' | 'approved' | 'used' | 'denied' | 'expired';

/** Identifies the call that an approval is for: equal keys are the same request. */
export interface ApprovalKey {
  readonly caller: string;
  readonly profile: string;
  readonly server: string;
  readonly tool: string;
  readonly arguments_sha256: string;
}

/** A request to approve one call, and its outcome. */
export interface Approval {
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly server: string;
  readonly tool: string;
  /** The public name that the client called. */
  readonly name: string;
  /** As shown to an approver: secrets masked, hidden characters made visible. */
  readonly arguments: unknown;
  /** JSON pointers to the values with masked parts. */
  readonly masked: readonly string[];
  /** Texts that are shown truncated; absent: none. */
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
  /** The surfaces on which a person may approve it. */
  readonly surfaces: readonly Surface[];
  /** The text that the person was shown. */
  readonly shown: string;
  readonly call_id: string;
}

/** The key of a remembered approval: for any arguments. */
export type RememberedKey = Omit<ApprovalKey, 'arguments_sha256'>;

/** An approval that applies to all later calls of its tool, with any arguments. */
export interface RememberedApproval extends RememberedKey {
  readonly id: string;
  /** `always`, a session id, or for clients without sessions, their declared identity. */
  readonly scope: string;
  readonly via: Surface;
  readonly expires_at: string;
  /** The approval that was remembered; null: stored by an older version. */
  readonly approval_id: string | null;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
}

/** How a remembered approval was given, and when it expires. */
export type GivenYes = Pick<RememberedApproval, 'via' | 'expires_at'> &
  Partial<Pick<RememberedApproval, 'approval_id' | 'decided_by' | 'decided_at'>>;

const FAR_FUTURE = '9999-12-31T23:59:59.999Z';

/** What a decision lets pass later: undefined where it is about its own call alone. */
export function rememberedYes(decided: Approval): { readonly scope: string; readonly given: GivenYes } | undefined {
  const { status, remember, id: approval_id, decided_by, decided_at, decided_via } = decided;
  if (status !== 'approved' || remember === 'none' || decided_at === null) return undefined;
  const forSession = remember === 'session';
  const sessionEnd = new Date(Date.parse(decided_at) + GATEWAY_LIMITS.approvalSessionMs).toISOString();
  return {
    // The session that the question showed, even if others waited for the same answer.
    scope: forSession ? sessionScope(decided) : 'always',
    given: {
      // The surface is checked at each use: an approval from one that is no longer allowed does not count.
      via: decided_via ?? 'client',
      expires_at: forSession ? sessionEnd : FAR_FUTURE,
      approval_id,
      decided_by,
      decided_at,
    },
  };
}

/** The id of a remembered approval. */
export function rememberedId({ caller, profile, server, tool }: RememberedKey, scope: string): string {
  return `rem_${sha256Hex(canonicalJson([caller, profile, server, tool, scope])).slice(0, 24)}`;
}

/** The error for a decision that comes too late: who decided before, and when. */
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

/** Selects approvals; each member narrows the selection. */
export interface ApprovalFilter {
  readonly status?: ApprovalStatus | undefined;
  readonly profiles?: readonly string[] | undefined;
}

/** A person's decision. */
export interface ApprovalDecision {
  readonly decision: 'approve' | 'deny';
  readonly by: string;
  readonly via: Surface;
  readonly reason?: string | undefined;
  readonly remember?: 'none' | 'session' | 'always' | undefined;
}

/** The digest of the full arguments: it, and not the shown text, determines what is approved. */
export function argumentsSha256(args: unknown): string {
  return sha256Hex(canonicalJson(args ?? {}));
}

type ShownParts = Pick<Approval, 'id' | 'server' | 'tool' | 'reason' | 'arguments' | 'masked' | 'arguments_sha256'>;

/**
 * The text for a person in a client: server, tool, reason and arguments. If it is truncated, states the size and where to read the rest.
 */
export function shownText(approval: ShownParts): string {
  const { arguments: args, id } = approval;
  const text = jsonOfVisible(args ?? {}, 2);
  const max = GATEWAY_LIMITS.approvalShownCharsMax;
  if (text.length <= max) return questionText(approval, text, []);
  const more = `Read all of it with: bindery approvals show ${id}`;
  // Do not cut a surrogate pair in half.
  const cut = text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
  return questionText(approval, `${cut}\n… ${text.length - cut.length} more characters`, [more]);
}

/** The same text with the full arguments. */
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

/** The form that a client shows to the person. */
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

/** The scopes in which a remembered approval applies, within the current policy. */
export function rememberedScopes(asker: Asker, allowed: Remember): string[] {
  if (allowed === 'never') return [];
  return allowed === 'always' ? [sessionScope(asker), 'always'] : [sessionScope(asker)];
}

/** The scope of "this session": the session id, or for a client without sessions, its declared identity. */
export function sessionScope({ session, caller, profile, client }: Asker): string {
  // Approvals store the client's name in its visible form.
  return session ?? `${caller}/${profile}/${visibleLine(client?.name ?? '')}`;
}
