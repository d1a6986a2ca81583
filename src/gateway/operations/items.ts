import { z } from 'zod';

const nullableText = z.string().nullable();

/** A server in the admin API. */
export const ServerItem = z.object({
  id: z.string(),
  transport: nullableText,
  source: z.enum(['global', 'project', 'registered', 'builtin']),
  enabled: z.boolean(),
  state: z.enum(['disabled', 'connecting', 'auth_required', 'ready', 'error']),
  reason: nullableText,
  connected: z.boolean(),
  status: z.enum(['running', 'stopped', 'error']),
  era: z.enum(['2025', '2026']).nullable(),
  protocol_version: nullableText,
  tools: z.number().int(),
  held: z.number().int().describe('definitions that wait for a person to accept them'),
  breaker: z.object({
    state: z.enum(['closed', 'open', 'half_open']),
    failures: z.number().int(),
    retry_at: nullableText,
  }),
  last_error: nullableText,
  last_connected_at: nullableText,
  last_health_check: nullableText,
});

export const ServerDetail = ServerItem.extend({
  stderr: nullableText,
  server_info: z.record(z.string(), z.unknown()).nullable(),
  /** Resources and templates of the server that `owner` claimed first: their address is `bindery://<id>/<uri>`. */
  conflicts: z.array(z.object({ kind: z.enum(['resource', 'template']), name: z.string(), owner: z.string() })),
  history: z
    .array(z.object({ time: z.string(), state: ServerItem.shape.state, reason: nullableText }))
    .optional()
    .describe('states that it came into since the gateway began, the oldest first'),
  credentials: z.enum(['shared', 'per_user']).optional().describe('per_user: each caller signs in for themselves'),
  signed_in_at: nullableText.optional().describe('per_user: when the caller who asks signed in; null: not yet'),
  sign_in: z
    .array(
      z.object({
        name: z.enum(['discover', 'register', 'consent', 'token']),
        state: z.enum(['running', 'done', 'failed']),
        detail: nullableText,
        next: nullableText.describe('what to do about a failure'),
        requests: z
          .array(
            z.object({
              method: z.string(),
              url: z.string().describe('without its query'),
              status: z.number().int().nullable().describe('null: nothing came back'),
              type: nullableText.describe('content type of the answer'),
            }),
          )
          .describe('what the step asked, and what came back'),
        time: z.string(),
      }),
    )
    .optional()
    .describe('how far the last sign-in came; per_user: that of the caller who asks'),
});

/** A tool in the admin API, including denied ones. */
export const ToolItem = z.object({
  name: z.string(),
  server: z.string(),
  original_name: z.string(),
  title: nullableText,
  description: nullableText,
  input_schema: z.unknown(),
  output_schema: z.unknown(),
  annotations: z.record(z.string(), z.unknown()).nullable(),
  read_only: z.boolean(),
  approval_required: z.boolean(),
  tokens: z.number().int(),
  definition_sha256: z.string(),
  status: z.enum(['active', 'changed', 'quarantined', 'removed']),
  flags: z.array(z.string()),
  decision: z.object({ decision: z.enum(['allow', 'deny', 'approval']), rule: z.string() }),
});

export const ApprovalItem = z.looseObject({
  id: z.string(),
  status: z.enum(['pending', 'approved', 'used', 'denied', 'expired']),
});

/** An approval that applies to any arguments of its tool. */
export const RememberedItem = z.object({
  id: z.string(),
  server: z.string(),
  tool: z.string(),
  caller: z.string(),
  profile: z.string(),
  scope: z.string().describe('always, a session, or for clients without one: caller/profile/name of the client'),
  via: z.string().describe('the surface on which it was given'),
  expires_at: z.string().describe('when it ends at the latest; one for a session ends with the session'),
  approval_id: nullableText.describe(
    'the approval that it came from; audit records of calls that it lets pass name it',
  ),
  decided_by: nullableText,
  decided_at: nullableText,
});

/** The manifest of a server that registers itself. */
export const ServerManifest = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  endpoint: z.url({ protocol: /^https?$/ }),
  transport: z.enum(['http', 'sse']),
  health_check: z.string().min(1).optional(),
  version: z.string().max(100).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

export const TestStep = z.object({
  name: z.enum(['connect', 'initialize', 'list']),
  state: z.enum(['running', 'done', 'failed']),
  ms: z.number().int(),
});

/** The result of a test connection. */
export const ServerTest = z.object({
  id: z.string(),
  ok: z.boolean(),
  era: nullableText,
  protocol_version: nullableText,
  server_info: z.unknown(),
  tools: z.number().int().nullable(),
  ms: z.number().int(),
  steps: z.array(TestStep),
  stderr: nullableText.describe('the end of what its program wrote, where the test failed'),
  error: nullableText,
  needs_sign_in: z.boolean().describe('it answers, and wants a sign-in first'),
});

/** A process of this gateway. */
export const NodeItem = z.object({
  name: z.string(),
  url: z.string().nullable().describe('where other nodes reach it; null: they do not'),
  present: z.boolean().describe('it said lately that it is there'),
  seen_at: z.string(),
  self: z.boolean().describe('it is the node that answers'),
});
