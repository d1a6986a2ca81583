import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { type Call, defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { pageInput, pageSchema, tabLines } from '../../contract/paging.ts';
import {
  type Approval,
  mayRemember,
  notPending,
  rememberedId,
  rememberedYes,
  wholeText,
} from '../approval/approval.ts';
import type { GatewayDeps } from './deps.ts';
import { ApprovalItem, RememberedItem } from './items.ts';
import { offsetPage } from './offset-page.ts';
import { isOfProfiles } from './profile-for.ts';

const DECIDES = { readOnly: false, destructive: false, idempotent: false, openWorld: false } as const;
const id = z.string().describe('id of the approval');
const reason = z.string().max(500).optional().describe('why, for the record');
const remember = z
  .enum(['none', 'session', 'always'])
  .optional()
  .describe('allow this tool with any arguments without asking again, for this session or always, if policy permits');

const listApprovals = defineOperation({
  id: 'gateway.approvals',
  summary:
    'List approval requests: pending ones first, oldest first, then the others. The command shows the others by --status.',
  input: z.strictObject({
    status: z.enum(['pending', 'approved', 'used', 'denied', 'expired']).optional().describe('only these'),
    ...pageInput,
  }),
  output: pageSchema(ApprovalItem).extend({ total: z.number().int().describe('how many there are, on all pages') }),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/approvals', perProfile: true, showsCallers: true },
  mcp: false,
  cli: {
    command: 'approvals list',
    print: (page, { status, cursor }) => {
      const isOverview = status === undefined && cursor === undefined;
      // Pending ones come first: an overview does not show the others.
      const shown = isOverview ? page.items.filter((item) => item.status === 'pending') : page.items;
      const rows = shown.map((item) => [
        ...[item.id, item.status, `${item.server}/${item.tool}`, item.caller, item.created_at],
      ]);
      const none = isOverview
        ? 'no call waits for approval; see them as they come: bindery approvals watch\n'
        : 'there are none\n';
      const isCut = isOverview && shown.length < page.items.length;
      return `${rows.length === 0 ? none : tabLines(rows)}${isCut ? overLine(page.total - shown.length) : moreLine(page)}`;
    },
  },
  failures: defaultFailures,
  run: async ({ status, ...page }, deps: GatewayDeps, { profiles }) => ({
    ...(await offsetPage(page, (limit, offset) => deps.approvals.list({ status, profiles }, limit, offset))),
    total: deps.approvals.count({ status, profiles }),
  }),
});

const showApproval = defineOperation({
  id: 'gateway.approval',
  summary: 'Show one approval request with everything that the approver sees.',
  input: z.strictObject({ id }),
  output: ApprovalItem,
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/approvals/{id}', perProfile: true, showsCallers: true },
  mcp: false,
  cli: {
    command: 'approvals show',
    positional: ['id'],
    manyLines: ['shown', 'arguments'],
    visibleBefore: ['shown', 'arguments', 'masked', 'cut', 'client'],
    print: (item) => `${item.status}\n${wholeText(item as unknown as Approval)}\n`,
  },
  failures: defaultFailures,
  run: (input, deps: GatewayDeps, call) => found(deps, input.id, call),
});

/** Local reads need no credential, but this one needs the admin credential and is recorded. */
export const revealArguments = defineOperation({
  id: 'gateway.reveal_arguments',
  summary:
    'Show the exact arguments of an approval request, or one part of them, with nothing masked; the audit log records the access.',
  input: z.strictObject({
    id,
    path: z.string().max(10_000).optional().describe('JSON pointer to one part; default: all of it'),
  }),
  output: z.object({
    id: z.string(),
    arguments_sha256: z.string(),
    path: z.string(),
    text: z.string().describe('JSON, byte for byte as it is sent'),
  }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: { method: 'POST', path: '/v1/approvals/{id}/arguments', perProfile: true },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async ({ id, path }, deps: GatewayDeps, call) => {
    await deps.approvals.refresh?.();
    const { arguments_sha256 } = found(deps, id, call);
    return { id, arguments_sha256, path: path ?? '', text: await deps.approvals.reveal(id, path) };
  },
});

const decideApproval = defineOperation({
  id: 'gateway.decide_approval',
  summary: 'Approve or deny a call that waits.',
  input: z.strictObject({
    id,
    decision: z.enum(['approve', 'deny']),
    reason,
    remember,
    surface: z.enum(['console', 'cli']).default('console').describe('where the person decided'),
    confirmation: z
      .string()
      .optional()
      .describe('what POST /v1/approvals/{id}/confirmation gave; a browser that signed in needs it to approve'),
  }),
  output: ApprovalItem,
  hints: DECIDES,
  http: {
    method: 'POST',
    path: '/v1/approvals/{id}/decision',
    perProfile: true,
    headers: { surface: 'bindery-surface', confirmation: 'bindery-confirmation' },
  },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: ({ surface, confirmation = '', ...input }, deps: GatewayDeps, call) => {
    const confirmed = (approval: Approval) => call.signIn?.hasConfirmed(confirmationOf(approval), confirmation) ?? true;
    return decide(deps, input, { via: surface, call, confirmed });
  },
});

const confirmApproval = defineOperation({
  id: 'gateway.confirm_approval',
  summary: 'Get the value with which a browser that signed in confirms that a person approves this very call.',
  description:
    'The value is for this approval, these arguments and this sign-in, for one minute, and for one decision, since an approval is decided once. A program with the admin credential needs none and gets null.',
  input: z.strictObject({ id }),
  output: z.object({
    id: z.string(),
    arguments_sha256: z.string(),
    shown: z.string(),
    confirmation: z.string().nullable(),
    expires_at: z.string().nullable(),
  }),
  hints: READ_ONLY,
  http: {
    method: 'POST',
    path: '/v1/approvals/{id}/confirmation',
    perProfile: true,
    showsCallers: true,
    meta: () => ({ headers: { 'cache-control': 'no-store' } }),
  },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async (input, deps: GatewayDeps, call) => {
    await deps.approvals.refresh?.();
    const approval = found(deps, input.id, call);
    const { id, arguments_sha256, shown, status } = approval;
    if (status !== 'pending') throw notPending(approval);
    const given = call.signIn?.confirmation(confirmationOf(approval));
    return {
      ...{ id, arguments_sha256, shown },
      confirmation: given?.value ?? null,
      expires_at: given ? new Date(given.untilMs).toISOString() : null,
    };
  },
});

const approve = defineOperation({
  id: 'gateway.approve',
  summary: 'Approve a waiting call.',
  input: z.strictObject({ id, reason, remember }),
  output: ApprovalItem.extend({
    remembered: z
      .object({ id: z.string(), expires_at: z.string() })
      .nullable()
      .describe('what lets later calls of the tool pass; null: only this call is approved'),
  }),
  hints: DECIDES,
  http: false,
  mcp: false,
  cli: {
    command: 'approvals approve',
    positional: ['id'],
    print: (item) => `approved ${item.id}\n${rememberedLines(item)}`,
  },
  failures: defaultFailures,
  run: async (input, deps: GatewayDeps, call) => {
    const decided = await decide(deps, { ...input, decision: 'approve' }, { via: 'cli', call });
    const yes = rememberedYes(decided);
    const remembered = yes && { id: rememberedId(decided, yes.scope), expires_at: yes.given.expires_at };
    return { ...decided, remembered: remembered ?? null };
  },
});

const deny = defineOperation({
  id: 'gateway.deny',
  summary: 'Deny a waiting call.',
  input: z.strictObject({ id, reason }),
  output: ApprovalItem,
  hints: DECIDES,
  http: false,
  mcp: false,
  cli: { command: 'approvals deny', positional: ['id'], print: (item) => `denied ${item.id}\n` },
  failures: defaultFailures,
  run: (input, deps: GatewayDeps, call) => decide(deps, { ...input, decision: 'deny' }, { via: 'cli', call }),
});

const listLeft = defineOperation({
  id: 'gateway.left_approvals',
  summary: 'List pending approvals for which no client waits: an approval takes effect when the client calls again.',
  input: z.strictObject({}),
  output: z.object({ items: z.array(z.object({ id: z.string(), server: z.string(), tool: z.string() })) }),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/left-approvals', perProfile: true, showsCallers: true },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async (_input, deps: GatewayDeps, { profiles }) => {
    await deps.approvals.refresh?.();
    const pending = deps.approvals.list(
      { status: 'pending', profiles },
      deps.approvals.count({ status: 'pending' }),
      0,
    );
    const left = pending.filter(({ id }) => deps.approvals.isAwaited?.(id) === false);
    return { items: left.map(({ id, server, tool }) => ({ id, server, tool })) };
  },
});

const listRemembered = defineOperation({
  id: 'gateway.remembered_approvals',
  summary: 'List approvals that allow a tool with any arguments: for a session, or always.',
  input: z.strictObject({ ...pageInput }),
  output: pageSchema(RememberedItem),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/remembered-approvals', perProfile: true, showsCallers: true },
  mcp: false,
  cli: {
    command: 'approvals remembered',
    print: ({ items, next_cursor }) => {
      const rows = items.map((item) => [
        ...[item.id, `${item.server}/${item.tool}`, item.caller, item.scope, item.expires_at],
      ]);
      const more = next_cursor === null ? '' : `there are more: go on with --cursor ${next_cursor}\n`;
      return `${rows.length === 0 ? 'nothing is remembered: each call asks\n' : tabLines(rows)}${more}`;
    },
  },
  failures: defaultFailures,
  run: async (page, deps: GatewayDeps, call) => {
    await deps.approvals.refresh?.();
    const all = deps.approvals.remembered().filter(({ profile }) => isOfProfiles(call, profile));
    return offsetPage(page, (limit, offset) => all.slice(offset, offset + limit));
  },
});

const revokeRemembered = defineOperation({
  id: 'gateway.revoke_remembered_approval',
  summary: 'Revoke a remembered approval: the next call of its tool asks again.',
  input: z.strictObject({ id: z.string().describe('id of the remembered approval') }),
  output: z.object({ id: z.string(), revoked: z.literal(true) }),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: { method: 'DELETE', path: '/v1/remembered-approvals/{id}', perProfile: true },
  mcp: false,
  cli: { command: 'approvals revoke', positional: ['id'], print: ({ id }) => `revoked ${id}\n` },
  failures: defaultFailures,
  run: async ({ id }, deps: GatewayDeps, call) => {
    await deps.approvals.refresh?.();
    const known = deps.approvals.remembered().find((one) => one.id === id && isOfProfiles(call, one.profile));
    if (!known || !(await deps.approvals.forget(id)))
      throw new BinderyError('APPROVAL_NOT_FOUND', {
        next: 'List them with `bindery approvals remembered`.',
        members: { id },
      });
    return { id, revoked: true as const };
  },
});

export const approvalOperations = [
  listApprovals,
  showApproval,
  revealArguments,
  decideApproval,
  confirmApproval,
  approve,
  deny,
  listLeft,
  listRemembered,
  revokeRemembered,
];

/** What is remembered, until when, and how it is revoked. */
function rememberedLines(item: {
  readonly remembered: { readonly id: string; readonly expires_at: string } | null;
  readonly [member: string]: unknown;
}): string {
  const { remembered, server, tool, caller, remember: howLong } = item;
  if (remembered === null) return '';
  const end =
    howLong === 'session' ? `until the session ends, ${remembered.expires_at} at the latest` : 'until it is revoked';
  return `remembered: ${server}/${tool} for ${caller}, with any arguments, ${end}\nrevoke it: bindery approvals revoke ${remembered.id}\n`;
}

/** How many items a page leaves out, and how to list them. */
function overLine(count: number): string {
  return `not shown: ${count} that ${count === 1 ? 'is' : 'are'} over (--status approved, used, denied or expired)\n`;
}

function moreLine({ next_cursor, total }: { readonly next_cursor: string | null; readonly total: number }): string {
  if (next_cursor === null) return '';
  const more = total - Number(next_cursor);
  return `${more} more: go on with --cursor ${next_cursor}, show more at once with --limit, or narrow with --status pending\n`;
}

interface DecisionInput {
  readonly id: string;
  readonly decision: 'approve' | 'deny';
  readonly reason?: string | undefined;
  readonly remember?: 'none' | 'session' | 'always' | undefined;
}

interface Deciding {
  readonly via: 'console' | 'cli';
  readonly call: Call;
  readonly confirmed?: (approval: Approval) => boolean;
}

async function decide(
  deps: GatewayDeps,
  { id, decision, reason, remember = 'none' }: DecisionInput,
  { via, call, confirmed = () => true }: Deciding,
) {
  await deps.approvals.refresh?.();
  const approval = found(deps, id, call);
  // A denial is accepted from every surface.
  if (decision === 'approve' && !approval.surfaces.includes(via))
    throw new BinderyError('SURFACE_NOT_ALLOWED', { members: { surface: via, surfaces: approval.surfaces } });
  if (decision === 'approve' && !confirmed(approval)) throw new BinderyError('APPROVAL_UNCONFIRMED');
  if (!mayRemember(remember, approval.remember_allowed)) {
    throw new BinderyError('REMEMBER_NOT_ALLOWED', { members: { remember_allowed: approval.remember_allowed } });
  }
  return { ...(await deps.approvals.decide(id, { decision, by: 'admin', via, reason, remember })) };
}

/** Identifies what a person confirms: this approval with these arguments. */
function confirmationOf({ id, arguments_sha256 }: Approval): string {
  return `approval ${id} ${arguments_sha256}`;
}

function found(deps: GatewayDeps, id: string, call: Call): Approval & Record<string, unknown> {
  const approval = deps.approvals.find(id);
  if (!approval || !isOfProfiles(call, approval.profile))
    throw new BinderyError('APPROVAL_NOT_FOUND', { members: { id } });
  return { ...approval };
}
