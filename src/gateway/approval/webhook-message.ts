import { createHmac } from 'node:crypto';
import type { Approval } from './approval.ts';

/** The prefix of a Standard Webhooks secret; its bytes follow in base64. */
const ENCODED_SECRET = 'whsec_';

/**
 * The webhook body for a pending approval. It leaves the machine, so the arguments are masked by the rules of the audit log, which mask
 * more than those for approvers.
 */
export function approvalCreatedBody(approval: Approval, maskedArguments: unknown): string {
  const { id, server, tool, name, arguments_sha256, reason, rule, caller, profile, client } = approval;
  const { created_at, expires_at, surfaces } = approval;
  return JSON.stringify({
    type: 'approval.created',
    timestamp: created_at,
    data: {
      ...{ id, server, tool, name, arguments: maskedArguments, arguments_sha256 },
      ...{ reason, rule, caller, profile, client, created_at, expires_at, surfaces },
    },
  });
}

/** The headers of one delivery, as in Standard Webhooks: the receiver verifies who sent it, and when. */
export function webhookHeaders(id: string, body: string, secret: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

function keyOf(secret: string): Buffer {
  return secret.startsWith(ENCODED_SECRET)
    ? Buffer.from(secret.slice(ENCODED_SECRET.length), 'base64')
    : Buffer.from(secret, 'utf8');
}
