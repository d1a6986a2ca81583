import { ownScopes } from '../../gateway/identity/protected-resource.ts';
import { allows } from '../../gateway/keys/api-key.ts';
import type { GatewayRuntime } from './gateway-runtime.ts';

/** Who acts through the admin API, once the credential was admitted. */
export function actorOf(
  { keys, access }: Pick<GatewayRuntime, 'keys' | 'access'>,
  authorization: string | undefined,
): { readonly name: string; readonly isAdmin: boolean } {
  const given = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '';
  const key = keys.verify(given);
  if (key) return { name: `key:${key.id}`, isAdmin: allows(key, 'admin') };
  const person = access.verifier?.known(given);
  if (person) return { name: person.caller, isAdmin: ownScopes(person.scopes).includes('admin') };
  return { name: 'admin', isAdmin: true };
}
