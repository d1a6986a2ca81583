import { BinderyError } from './errors.ts';
import type { Call } from './operation.ts';

/**
 * Refuses callers with a key or a token of their own, whatever their scope. For what would outlive a key that is revoked later: other keys,
 * commands that run on this machine, the policy itself. The admin's token and a browser that signed in with it remain.
 */
export function refuseAllButOwner(call: Pick<Call, 'caller'>): void {
  if (call.caller !== undefined)
    throw new BinderyError('ADMIN_REQUIRED', { detail: 'a key is not enough: use the admin token or sign in' });
}
