import { z } from 'zod';

const Uri = z.string().describe('ai:// and the canonical name');

export const IssueOutput = z.object({
  level: z.enum(['error', 'warning']),
  code: z.string(),
  record: z.int().optional(),
  message: z.string(),
});

export const TraceOutput = z.object({
  zones: z.array(z.record(z.string(), z.unknown())),
  candidates: z.array(z.record(z.string(), z.unknown())),
  left_off: z.int().optional(),
});

export const RecordsOutput = z.object({
  identity: Uri,
  records: z.array(z.unknown()),
  ttl: z.int(),
  warnings: z.array(IssueOutput),
  trace: TraceOutput.optional(),
});

export const DescriptorOutput = z.object({
  identity: Uri,
  mode: z.literal('mcp'),
  endpoint: z.url(),
  capabilities: z.array(z.string()).optional(),
  key: z.string().optional(),
  keys: z.array(z.string()).optional(),
  ttl: z.int(),
  source: z.enum(['authoritative', 'inherited']),
  resolved_from: Uri.optional(),
  cascade: z.literal('off').optional(),
  signature: z
    .object({
      kid: z.string(),
      alg: z.literal('EdDSA'),
      value: z.string(),
      signed_at: z.string(),
      expires_at: z.string(),
    })
    .optional(),
  trace: TraceOutput.optional(),
});

export const ZoneOutput = z.record(z.string(), z.unknown());
