import { BinderyError } from '../../contract/errors.ts';
import { ownScopes } from '../../gateway/identity/protected-resource.ts';
import { allows, KEY_CALLER } from '../../gateway/keys/api-key.ts';
import type { KeyStore } from '../../store/keys/key-store.ts';
import { adminToken, bearerOf, isSame } from '../http/credentials.ts';
import type { OAuthAccess } from './oauth-access.ts';

interface Actor {
  readonly name: string;
  readonly isAdmin: boolean;
}

const ADMIN: Actor = { name: 'admin', isAdmin: true };

interface Credentials {
  readonly keys: KeyStore;
  readonly access: OAuthAccess;
  readonly dataDir: string;
}

/**
 * Who acts through the admin API with an admitted credential. Checked again, because a key may be revoked between the head of a
 * request and the end of its body: then there is no actor.
 */
export function actorOf(credentials: Credentials, authorization: string | undefined): Actor {
  const given = bearerOf(authorization);
  // An admitted request without a credential has the console's cookie.
  if (given === undefined) return ADMIN;
  const actor = holderOf(credentials, given);
  if (!actor) throw new BinderyError('CREDENTIAL_MISSING');
  return actor;
}

/** Whether a credential may change things; an unknown one may not. */
export function isAdminCredential(credentials: Credentials, authorization: string | undefined): boolean {
  const given = bearerOf(authorization);
  return given !== undefined && holderOf(credentials, given)?.isAdmin === true;
}

/** The name that its maker gave to the key of a caller; undefined: the caller has no key. */
export function keyNameOf({ keys }: Pick<Credentials, 'keys'>, caller: string): string | undefined {
  return keys.list().find(({ id }) => `${KEY_CALLER}${id}` === caller)?.name;
}

function holderOf({ keys, access, dataDir }: Credentials, given: string): Actor | undefined {
  if (isSame(given, adminToken(dataDir))) return ADMIN;
  const key = keys.verify(given);
  if (key) return { name: `${KEY_CALLER}${key.id}`, isAdmin: allows(key, 'admin') };
  const person = access.verifier?.known(given);
  return person && { name: person.caller, isAdmin: ownScopes(person.scopes).includes('admin') };
}
