import { BinderyError } from '../../contract/errors.ts';
import { ownScopes } from '../../gateway/identity/protected-resource.ts';
import { allows } from '../../gateway/keys/api-key.ts';
import type { KeyStore } from '../../store/keys/key-store.ts';
import { adminToken, bearerOf, isSame } from '../http/credentials.ts';
import type { OAuthAccess } from './oauth-access.ts';

interface Credentials {
  readonly keys: KeyStore;
  readonly access: OAuthAccess;
  readonly dataDir: string;
}

/**
 * Who acts through the admin API, once the credential was admitted. It is looked at again, since between the head of a request and
 * the end of its body a key may be revoked: then nobody acts.
 */
export function actorOf(
  { keys, access, dataDir }: Credentials,
  authorization: string | undefined,
): { readonly name: string; readonly isAdmin: boolean } {
  const given = bearerOf(authorization);
  // Whoever was admitted without one has the console's cookie.
  if (given === undefined || isSame(given, adminToken(dataDir))) return { name: 'admin', isAdmin: true };
  const key = keys.verify(given);
  if (key) return { name: `key:${key.id}`, isAdmin: allows(key, 'admin') };
  const person = access.verifier?.known(given);
  if (person) return { name: person.caller, isAdmin: ownScopes(person.scopes).includes('admin') };
  throw new BinderyError('CREDENTIAL_MISSING');
}
