import { BinderyError } from './errors.ts';
import type { Call } from './operation.ts';

/**
 * Refuses callers with a key or a token of their own, whatever their scope. It protects changes that would outlive a revoked key: other
 * keys, commands that run on this machine, the policy itself. Only the admin's token and a browser that signed in with it are accepted.
 */
export function refuseAllButOwner(call: Pick<Call, 'caller'>): void {
  if (call.caller !== undefined)
    throw new BinderyError('ADMIN_REQUIRED', { detail: 'a key is not enough: use the admin token or sign in' });
}
