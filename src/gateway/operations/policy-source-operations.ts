import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { refuseAllButOwner } from '../../contract/owner-only.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import type { GatewayDeps } from './deps.ts';

const nullableText = z.string().nullable();
const file = z.string().describe('the policy file, as GET /v1/policy/source names it');
const text = z.string().max(GATEWAY_LIMITS.policyFileBytesMax).describe('the whole text of the file');
const Finding = z.looseObject({ level: z.string(), code: z.string(), line: z.number(), message: z.string() });
const SourceItem = z.object({
  layer: z.string(),
  file: z.string(),
  text: nullableText.describe('null: there is no such file yet, or it cannot be read'),
  sha256: nullableText.describe('of the text'),
});

const policySource = defineOperation({
  id: 'gateway.policy_source',
  summary: 'Show the policy files as they are written, also those that may be written and are not there yet.',
  input: z.strictObject({}),
  output: z.object({ files: z.array(SourceItem) }),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/policy/source' },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async (_input, deps: GatewayDeps) => ({ files: (await deps.policy.source()).map((item) => ({ ...item })) }),
});

const previewPolicy = defineOperation({
  id: 'gateway.policy_preview',
  summary: 'Say what a policy file with this text would change: its findings, and each tool whose decision differs.',
  input: z.strictObject({ file, text }),
  output: z.object({
    ok: z.boolean(),
    findings: z.array(Finding),
    changes: z.array(z.object({ server: z.string(), tool: z.string(), before: z.string(), after: z.string() })),
  }),
  hints: READ_ONLY,
  http: {
    method: 'POST',
    path: '/v1/policy/preview',
    access: 'named',
    bodyBytesMax: GATEWAY_LIMITS.policyFileBytesMax * 2,
  },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async (input, deps: GatewayDeps) => {
    const { ok, findings, changes } = await deps.policy.preview(input.file, input.text);
    return {
      ok,
      findings: findings.map((finding) => ({ ...finding })),
      changes: changes.map((change) => ({ ...change })),
    };
  },
});

const savePolicy = defineOperation({
  id: 'gateway.policy_save',
  summary: 'Write a policy file and put it in force; the version before is kept as a backup.',
  input: z.strictObject({
    file,
    text,
    base_sha256: z.string().optional().describe('of the text that was edited; absent: there was no file'),
  }),
  output: SourceItem.extend({ backup: nullableText.describe('where the version before is kept') }),
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  http: { method: 'PUT', path: '/v1/policy/source', bodyBytesMax: GATEWAY_LIMITS.policyFileBytesMax * 2 },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async (input, deps: GatewayDeps, call) => {
    refuseAllButOwner(call);
    const preview = await deps.policy.preview(input.file, input.text);
    if (!preview.ok) {
      const errors = preview.findings.filter(({ level }) => level === 'error').map((finding) => ({ ...finding }));
      throw new BinderyError('POLICY_INVALID', { members: { errors } });
    }
    return { ...(await deps.policy.save(input.file, input.text, input.base_sha256 ?? null)) };
  },
});

export const policySourceOperations = [policySource, previewPolicy, savePolicy];
