import { z } from 'zod';
import type { Problem } from '../../contract/problem.ts';
import type { AnswerBody } from '../answers.ts';
import type { Explanation } from '../explain.ts';

const Uri = z.string().describe('ai:// and the canonical name');
const Tokens = z.array(z.string());

export const IssueOutput = z.object({
  level: z.enum(['error', 'warning']),
  code: z.string(),
  record: z.int().exactOptional(),
  message: z.string(),
});

const TraceOutput = z.object({
  zones: z.array(
    z.object({
      identity: Uri,
      depth: z.int(),
      inherited_by: Uri.exactOptional(),
      ttl: z.int(),
      allows: Tokens.exactOptional(),
    }),
  ),
  candidates: z.array(
    z.object({
      rank: z.int(),
      zone: Uri,
      record: z.int(),
      priority: z.int(),
      depth: z.int(),
      endpoint: z.string().nullable(),
      effective: Tokens.nullable(),
      verdict: z.enum([
        'selected',
        'invalid_endpoint',
        'outranked',
        'capabilities_unknown',
        'capabilities_not_allowed',
        'capabilities_not_requested',
        'cascade_failed',
      ]),
      why: z.string(),
    }),
  ),
  left_off: z.int().exactOptional(),
});

const RecordsOutput = z.object({
  identity: Uri,
  records: z.array(z.unknown()),
  ttl: z.int(),
  warnings: z.array(IssueOutput),
  trace: TraceOutput.exactOptional(),
});

const CollapsedOutput = z.object({
  identity: Uri,
  mode: z.literal('mcp'),
  endpoint: z.url(),
  capabilities: Tokens.exactOptional(),
  key: z.string().exactOptional(),
  keys: z.array(z.string()).exactOptional(),
  ttl: z.int(),
  source: z.enum(['authoritative', 'inherited', 'delegated', 'cache', 'stale']),
  age: z.int().exactOptional(),
  resolved_from: Uri.exactOptional(),
  cascade: z.literal('off').exactOptional(),
  signature: z
    .object({
      kid: z.string(),
      alg: z.literal('EdDSA'),
      value: z.string(),
      signed_at: z.string(),
      expires_at: z.string(),
    })
    .exactOptional(),
  trace: TraceOutput.exactOptional(),
});

const ProblemOutput = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
});

export const DescriptorOutput: z.ZodType<AnswerBody> = CollapsedOutput;
export const AnswerOutput: z.ZodType<AnswerBody> = z.union([RecordsOutput, CollapsedOutput]);
export const BatchOutput: z.ZodType<{ readonly results: readonly (AnswerBody | Problem)[] }> = z.object({
  results: z.array(z.union([RecordsOutput, CollapsedOutput, ProblemOutput])),
});
export const ExplanationOutput: z.ZodType<Explanation> = TraceOutput.extend({
  identity: Uri,
  descriptor: CollapsedOutput.exactOptional(),
  failure: z.record(z.string(), z.unknown()).exactOptional(),
});
export const ZoneOutput = z.record(z.string(), z.unknown());
