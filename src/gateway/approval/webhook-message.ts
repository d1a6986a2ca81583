import { createHmac } from 'node:crypto';
import type { Approval } from './approval.ts';

/** A secret in the form of Standard Webhooks: its bytes follow in base64. */
const ENCODED_SECRET = 'whsec_';

/**
 * What a webhook says of a call that waits for a person. It leaves the machine, so the arguments are masked by the rules of the
 * audit log, which hide more than an approver is spared.
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

/** Headers of one delivery, as Standard Webhooks defines them: the receiver checks who sent it, and when. */
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
