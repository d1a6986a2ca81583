import type { AsyncEntry } from '@napi-rs/keyring';
import { OAuthError } from './oauth-error.ts';

/** Stores secrets by name. Every call rejects with an `OAuthError` if the store cannot be used. */
export interface SecretVault {
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  /** Does nothing if there is none. */
  delete(account: string): Promise<void>;
}

const SERVICE = 'bindery';

/** The keychain of the operating system: Keychain, Credential Manager, or a Secret Service. */
export function keychain(): SecretVault {
  return {
    get: async (account) => (await use(account, (entry) => entry.getPassword())) ?? undefined,
    set: (account, secret) => use(account, (entry) => entry.setPassword(secret)),
    delete: async (account) => void (await use(account, (entry) => entry.deleteCredential())),
  };
}

async function use<T>(account: string, work: (entry: AsyncEntry) => Promise<T>): Promise<T> {
  try {
    const { AsyncEntry: Entry } = await import('@napi-rs/keyring');
    // The library's fallback, the kernel's keyring, loses everything at a reboot.
    return await work(new Entry(SERVICE, account, { linux: { store: 'secret-service' } }));
  } catch (thrown) {
    throw new OAuthError('keychain_unavailable', reasonOf(thrown), thrown);
  }
}

const INSTEAD = 'or set mcp.token_store of your config to "file"';

function reasonOf(thrown: unknown): string {
  if ((thrown as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND')
    return `the keychain needs the package @napi-rs/keyring; install it beside Bindery, ${INSTEAD}`;
  return `the keychain of this machine is locked or there is none; open it, ${INSTEAD}`;
}
