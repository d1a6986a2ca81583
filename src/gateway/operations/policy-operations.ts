import { z } from 'zod';
import { SURFACES } from '../../contract/approval-surfaces.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { tabLines } from '../../contract/paging.ts';
import { jsonOfVisible, stillVisibleLine } from '../../contract/visible-text.ts';
import { openingSentence } from '../policy/hours.ts';
import type { GatewayDeps } from './deps.ts';
import { policySourceOperations } from './policy-source-operations.ts';
import { profileFor } from './profile-for.ts';

const nullableText = z.string().nullable();
const DecisionShape = z.looseObject({
  decision: z.enum(['allow', 'deny', 'approval']),
  rule: z.string(),
  layer: nullableText,
  file: nullableText,
  line: z.number().int().nullable(),
  pointer: nullableText,
  reason: nullableText,
  server: z.string(),
  tool: z.string(),
  errors: z.array(z.looseObject({ line: z.number(), message: z.string() })).optional(),
  refused: z
    .looseObject({ pointer: nullableText, value: nullableText, read_as: nullableText, why: z.string() })
    .optional()
    .describe('the argument that was refused: where it stands, what it was read as, and why'),
  opens_at: nullableText.optional().describe('for the rule outside_hours: when hours allow the call again'),
  notes: z.array(z.string()).optional().describe('for a person: no such server, no such tool'),
  degraded: z
    .array(
      z.looseObject({
        layer: z.string(),
        file: z.string(),
        status: z.string(),
        sha256: nullableText,
        loaded_at: nullableText,
        errors: z.array(z.looseObject({ line: z.number(), message: z.string() })),
      }),
    )
    .optional()
    .describe('layers whose file is gone or bad: what decides in their place'),
});
const PolicyShape = z.object({
  open: z.boolean(),
  layers: z.array(z.record(z.string(), z.unknown())),
  approval: z
    .array(z.object({ profile: z.string(), surfaces: z.array(z.enum(SURFACES)) }))
    .describe('where calls of each profile may be approved; a key may have a list of its own'),
});
/** Exit codes of `policy check`, for scripts. */
const EXIT = { allow: 0, deny: 10, approval: 11 } as const;

const checkPolicy = defineOperation({
  id: 'gateway.policy_check',
  summary: 'Say whether a call would be allowed, and by which rule of which file.',
  input: z.strictObject({
    server: z.string().describe('id of the server'),
    tool: z.string().describe('name of the tool on its server'),
    arguments: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('arguments of the call as JSON; argument rules are skipped without them'),
    profile: z.string().optional().describe('profile that the client uses'),
    at: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('time of the call, such as 2026-11-17T19:30:00+01:00; default: now'),
  }),
  output: DecisionShape,
  hints: READ_ONLY,
  http: { method: 'POST', path: '/v1/policy/check', perProfile: true },
  mcp: false,
  cli: {
    command: 'policy check',
    positional: ['server', 'tool'],
    flags: { arguments: 'args' },
    exit: (output) => EXIT[output.decision],
    note: ({ notes = [] }) => notes.map((note) => `note: ${note}\n`).join(''),
    print: (output) => {
      const where = output.file === null ? '' : ` (${output.file}${output.line === null ? '' : `:${output.line}`})`;
      const errors = (output.errors ?? []).map(({ line, message }) => `\nerror line ${line}: ${message}`).join('');
      const refused = output.refused ? `\n${refusedLine(output.refused)}` : '';
      const opens = output.opens_at === undefined ? '' : `\n${openingSentence(output.opens_at)}`;
      const degraded = (output.degraded ?? [])
        .flatMap(degradedLines)
        .map((line) => `\n${line}`)
        .join('');
      return `${output.decision} ${output.server}/${output.tool}: ${output.rule}${where}${output.reason === null ? '' : `\n${output.reason}`}${refused}${opens}${errors}${degraded}\n`;
    },
  },
  failures: defaultFailures,
  encode: ({ notes: _notes, ...decision }) => JSON.stringify(decision),
  run: async (input, deps: GatewayDeps, call) => {
    const profile = profileFor(call, input.profile);
    const { errors, refused, degraded, notes, ...decision } = await deps.policy.check({
      ...input,
      at: input.at === undefined ? undefined : Date.parse(input.at),
      profile,
      isBound: call.profiles !== undefined,
    });
    return {
      ...decision,
      ...(refused ? { refused: { ...refused } } : {}),
      ...(notes ? { notes: [...notes] } : {}),
      ...(errors ? { errors: errors.map((error) => ({ ...error })) } : {}),
      ...(degraded
        ? { degraded: degraded.map((layer) => ({ ...layer, errors: layer.errors.map((error) => ({ ...error })) })) }
        : {}),
    };
  },
});

function refusedLine({ pointer, value, read_as, why }: NonNullable<z.output<typeof DecisionShape>['refused']>): string {
  if (pointer === null) return why;
  const readAs = read_as === null ? '' : ` (read as ${read_as})`;
  return stillVisibleLine(`the argument at ${pointer}, ${jsonOfVisible(value)}${readAs}, ${why}`);
}

type DegradedLayer = NonNullable<z.output<typeof DecisionShape>['degraded']>[number];

/** A layer without a valid version denies, and the decision itself says why. */
function degradedLines({ file, status, loaded_at, errors }: DegradedLayer): string[] {
  if (loaded_at === null) return [];
  const inPlace = `its version of ${loaded_at} decides`;
  if (status === 'vanished') return [`note: ${file} is gone; ${inPlace} until \`bindery policy reload\` accepts that`];
  return [`note: ${file} is bad; ${inPlace}`, ...errors.map(({ line, message }) => `error line ${line}: ${message}`)];
}

const lintPolicy = defineOperation({
  id: 'gateway.policy_lint',
  summary: 'Check a policy file for errors and for rules that cannot work.',
  input: z.strictObject({
    file: z.string().optional().describe('the file; default: those that a gateway here would use'),
  }),
  output: z.object({ ok: z.boolean(), findings: z.array(z.looseObject({ level: z.string(), code: z.string() })) }),
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: {
    command: 'policy lint',
    positional: ['file'],
    exit: ({ ok }) => (ok ? 0 : 1),
    print: ({ ok, findings }) =>
      `${findings.map((item) => `${item.level} ${item.file}, line ${item.line} ${item.code}: ${item.message}\n`).join('')}${ok ? 'ok\n' : 'not ok\n'}`,
  },
  failures: defaultFailures,
  encode: ({ ok, findings }) =>
    JSON.stringify({ ok, findings: findings.map(({ file: _file, ...finding }) => finding) }),
  run: async ({ file }, deps: GatewayDeps) => {
    const report = await deps.policy.lint(file);
    return { ok: report.ok, findings: report.findings.map((finding) => ({ ...finding })) };
  },
});

const showPolicy = defineOperation({
  id: 'gateway.policy',
  summary: 'Show the policy layers that are in force, and where calls may be approved.',
  input: z.strictObject({}),
  output: PolicyShape,
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/policy' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: (_input, deps: GatewayDeps) => policyStatus(deps),
});

const reloadPolicy = defineOperation({
  id: 'gateway.policy_reload',
  summary: 'Read the policy files again, and accept that a file was removed.',
  input: z.strictObject({}),
  output: PolicyShape,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: { method: 'POST', path: '/v1/policy/reload' },
  mcp: false,
  cli: {
    command: 'policy reload',
    print: ({ open, layers }) =>
      open
        ? 'no policy: every tool may be called\n'
        : tabLines(layers.map((item) => [item.layer, item.status, item.file])),
  },
  failures: defaultFailures,
  run: async (_input, deps: GatewayDeps) => {
    await deps.policy.reload();
    return policyStatus(deps);
  },
});

export const policyOperations = [checkPolicy, lintPolicy, showPolicy, reloadPolicy, ...policySourceOperations];

async function policyStatus(deps: GatewayDeps) {
  const { open, layers, approval } = await deps.policy.status();
  return {
    open,
    layers: layers.map((layer) => ({ ...layer })),
    approval: approval.map(({ profile, surfaces }) => ({ profile, surfaces: [...surfaces] })),
  };
}
