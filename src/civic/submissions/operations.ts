import { z } from 'zod';
import { type AnyOperation, defineOperation, type Hints, type McpFace } from '../../contract/operation.ts';
import { CIVIC_LIMITS, type SubmissionType } from '../config.ts';
import { civicFailures } from '../failures.ts';
import { PUBLIC_MCP_META, PUBLIC_META } from '../reads/answer.ts';
import { fromQuery } from '../reads/http-input.ts';
import { EnvelopeAnswer, envelopeRetrySeconds, envelopeStatus, TypedAnswer, typedStatus } from './answers.ts';
import { CancelAnswer, cancelSubmission } from './cancel-submission.ts';
import { requestSchema, type SchemaName } from './json-schemas.ts';
import { AmendmentList, listAmendments } from './list-amendments.ts';
import { ConcernList, listConcerns, StatusList, statusOfSession } from './read-submissions.ts';
import { readTallies, Tallies } from './read-tallies.ts';
import { submitEnvelope, submitTyped } from './submit.ts';
import { admitRead, admitWrite, type WriteDeps } from './write-deps.ts';

const WRITE_HINTS: Hints = { readOnly: false, destructive: false, idempotent: true, openWorld: true };
const READ_HINTS: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: true };
const NO_STORE = { 'cache-control': 'no-store' };

const NO_STORE_META = { meta: () => ({ 'bindery/cache_control': 'no-store' }) } satisfies Partial<McpFace<unknown>>;

/** For documentation only: the pipeline checks input itself, in the order of SU7. */
function shownAs(name: SchemaName): z.ZodType<unknown> {
  return z.unknown().meta(requestSchema(name) as Record<string, unknown>);
}

/** Outputs of dry runs: the status of an envelope's answer depends on it, but its body does not show it. */
const dryRuns = new WeakSet<object>();

const submitFeedback = defineOperation({
  id: 'civic.submit_feedback',
  summary: 'Submit one to twenty items of any type in one envelope.',
  description:
    'Submit concerns, amendments, validations, drafts, feedback and ratings in one envelope (the usual way to submit). ' +
    'Each item is judged on its own. By default this is a dry run: set dry_run to false to submit. Never include personal data.',
  input: shownAs('envelope'),
  output: EnvelopeAnswer,
  hints: WRITE_HINTS,
  http: {
    method: 'POST',
    path: '/api/feedback',
    bodyBytesMax: CIVIC_LIMITS.body_bytes_max,
    read: (parts) => parts.body,
    meta: (output) => {
      const status = envelopeStatus(output, dryRuns.has(output));
      const wait = status === 429 ? { 'retry-after': String(envelopeRetrySeconds(output)) } : {};
      return { status, headers: { ...NO_STORE, ...wait } };
    },
  },
  mcp: {
    tool: 'submit_feedback',
    isError: (output) => envelopeStatus(output, dryRuns.has(output)) >= 400,
    ...NO_STORE_META,
  },
  cli: false,
  failures: civicFailures('/agents/schemas/envelope.json'),
  admit: admitWrite,
  run: async (input, deps: WriteDeps, call) => {
    const { answer, isDryRun } = await submitEnvelope(deps, input, call);
    if (isDryRun) dryRuns.add(answer);
    return answer;
  },
});

function typedOperation(type: SubmissionType, tool: string, route: string, summary: string): AnyOperation<WriteDeps> {
  return defineOperation({
    id: `civic.${tool}`,
    summary,
    description: `${summary} By default this is a dry run: set dry_run to false to submit. Never include personal data.`,
    input: shownAs(type),
    output: TypedAnswer,
    hints: WRITE_HINTS,
    http: {
      method: 'POST',
      path: route,
      bodyBytesMax: CIVIC_LIMITS.body_bytes_max,
      read: (parts) => parts.body,
      meta: (output) => ({ status: typedStatus(output), headers: NO_STORE }),
    },
    mcp: { tool, ...NO_STORE_META },
    cli: false,
    failures: civicFailures(`/agents/schemas/${type}.json`),
    admit: admitWrite,
    run: (input, deps: WriteDeps, call) => submitTyped(deps, type, input, call),
  });
}

const cancel = defineOperation({
  id: 'civic.cancel_submission',
  summary: 'Take back a draft or an amendment while it is staged.',
  input: z.strictObject({ submission_id: z.string(), cancel_token: z.string() }),
  output: CancelAnswer,
  hints: WRITE_HINTS,
  http: {
    method: 'POST',
    path: '/api/submissions/{submission_id}/cancel',
    bodyBytesMax: CIVIC_LIMITS.body_bytes_max,
    meta: () => ({ headers: NO_STORE }),
  },
  mcp: { tool: 'cancel_submission', ...NO_STORE_META },
  cli: false,
  failures: civicFailures(),
  admit: admitWrite,
  run: (input, deps: WriteDeps) => cancelSubmission(deps, input.submission_id, input.cancel_token),
});

const currentStatus = defineOperation({
  id: 'civic.get_current_status',
  summary: 'List what a session submitted, and how far it got.',
  input: z.strictObject({ session_id: z.string() }),
  output: StatusList,
  hints: READ_HINTS,
  http: {
    method: 'GET',
    path: '/api/submissions',
    read: fromQuery('session_id'),
    meta: () => ({ headers: NO_STORE }),
  },
  mcp: { tool: 'get_current_status', ...NO_STORE_META },
  cli: false,
  failures: civicFailures(),
  admit: admitRead,
  run: (input, deps: WriteDeps) => statusOfSession(deps, input.session_id),
});

const concerns = defineOperation({
  id: 'civic.list_concerns',
  summary: 'List the concerns that are open on a target.',
  input: z.strictObject({ target_type: z.string(), target_id: z.string() }),
  output: ConcernList,
  hints: READ_HINTS,
  http: {
    method: 'GET',
    path: '/api/concerns',
    read: fromQuery('target_type', 'target_id'),
    meta: () => PUBLIC_META,
    crossOrigin: true,
  },
  mcp: { tool: 'get_concerns', meta: () => PUBLIC_MCP_META },
  cli: false,
  failures: civicFailures(),
  admit: admitRead,
  run: (input, deps: WriteDeps) => listConcerns(deps, input.target_type, input.target_id),
});

const openAmendments = defineOperation({
  id: 'civic.list_amendments',
  summary: 'List staged amendments: what will change soon, and what others can confirm or reject by a validation.',
  input: z.strictObject({ target_type: z.string().optional(), target_id: z.string().optional() }),
  output: AmendmentList,
  hints: READ_HINTS,
  http: {
    method: 'GET',
    path: '/api/staged',
    read: fromQuery('target_type', 'target_id'),
    meta: () => ({ headers: NO_STORE }),
    crossOrigin: true,
  },
  mcp: false,
  cli: false,
  failures: civicFailures(),
  admit: admitRead,
  run: ({ target_type, target_id }, deps: WriteDeps) =>
    listAmendments(deps, target_type && target_id ? { type: target_type, id: target_id } : undefined),
});

const tallies = defineOperation({
  id: 'civic.read_tallies',
  summary: 'Read the counted votes of an artefact against the thresholds, and its ratings.',
  input: z.strictObject({ target_type: z.string(), target_id: z.string() }),
  output: Tallies,
  hints: READ_HINTS,
  http: {
    method: 'GET',
    path: '/api/tallies',
    read: fromQuery('target_type', 'target_id'),
    meta: () => PUBLIC_META,
    crossOrigin: true,
  },
  mcp: false,
  cli: false,
  failures: civicFailures(),
  admit: admitRead,
  run: (input, deps: WriteDeps) => readTallies(deps, input.target_type, input.target_id),
});

/** The public write operations. */
export const submissionOperations: readonly AnyOperation<WriteDeps>[] = [
  submitFeedback,
  typedOperation('concern', 'submit_concern', '/api/concerns', 'Report that something in the corpus is wrong.'),
  typedOperation('amendment', 'submit_amendment', '/api/amendments', 'Propose a change of an existing artefact.'),
  typedOperation(
    'validation',
    'submit_validation',
    '/api/validations',
    'Confirm or reject an artefact after using it.',
  ),
  typedOperation('draft', 'submit_draft', '/api/drafts', 'Propose a new skill or a new path.'),
  typedOperation(
    'feedback',
    'submit_feedback_channel',
    '/api/feedback-channel',
    'Tell the maintainers something in private.',
  ),
  typedOperation('rating', 'submit_rating', '/api/ratings', 'Rate a skill, the protocol or a session.'),
  cancel,
  currentStatus,
  concerns,
  openAmendments,
  tallies,
];
