import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defineOperation } from '../../contract/operation.ts';
import { CIVIC_LIMITS } from '../config.ts';
import { civicFailures } from '../failures.ts';
import { text } from '../submissions/fields.ts';
import { requireMaintainer, type WriteDeps } from '../submissions/write-deps.ts';
import { iso } from './queue-entry.ts';

export const decideProvider = defineOperation({
  id: 'civic.decide_provider',
  summary: 'Remove a provider for cause, or let it in again; it takes effect at once.',
  input: z.strictObject({
    provider_id: z.string(),
    decision: z.enum(['remove', 'approve']),
    cause: text(CIVIC_LIMITS.text.description, 1).optional(),
  }),
  output: z.object({ provider_id: z.string(), decision: z.string(), decided_at: z.string() }),
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  http: {
    method: 'POST',
    path: '/api/review/providers/{provider_id}',
    bodyBytesMax: CIVIC_LIMITS.body_bytes_max,
    meta: () => ({ headers: { 'cache-control': 'no-store' } }),
  },
  mcp: false,
  cli: false,
  failures: civicFailures(),
  admit: requireMaintainer,
  run: async ({ provider_id, decision, cause }, deps: WriteDeps) => {
    if (!deps.hasProvider(provider_id)) throw new BinderyError('target_not_found');
    if (decision === 'remove' && cause === undefined) {
      throw civicFailures().invalidInput([
        { pointer: '/cause', keyword: 'required', message: 'is required to remove' },
      ]);
    }
    await deps.store.transact(() =>
      deps.store.setProviderRemoved(provider_id, decision === 'remove' ? cause : undefined),
    );
    return { provider_id, decision, decided_at: iso(deps.clock.now()) };
  },
});
