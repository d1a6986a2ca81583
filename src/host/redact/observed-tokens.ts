import { dirname, join } from 'node:path';
import { tokenStoreSetting } from '../config/token-store-setting.ts';
import { keychain, type SecretVault } from '../oauth/secret-vault.ts';
import { type CredentialStore, type StoredCredentials, TokenStore } from '../oauth/token-store.ts';
import type { HostRedactor } from './host-redactor.ts';

/** The tokens of a config directory, in the store that its config sets. */
export function configuredTokens(configFile: string, redactor: HostRedactor): ObservedTokens {
  const vault = tokenStoreSetting(configFile) === 'keychain' ? keychain() : undefined;
  return new ObservedTokens(join(dirname(configFile), 'mcp-auth.json'), redactor, vault);
}

/** A token store that registers every token with the redactor before it can be logged, including tokens that other processes wrote. */
export class ObservedTokens extends TokenStore {
  readonly #redactor: HostRedactor;

  constructor(path: string, redactor: HostRedactor, vault?: SecretVault) {
    super(path, vault);
    this.#redactor = redactor;
  }

  override async get(id: string): Promise<StoredCredentials | undefined> {
    const stored = await super.get(id);
    if (stored !== undefined) this.#redactor.learnTokens([[id, stored]]);
    return stored;
  }

  override write(
    id: string,
    change: (stored: StoredCredentials | undefined) => StoredCredentials | undefined,
  ): Promise<void> {
    return super.write(id, (stored) => {
      const next = change(stored);
      if (next !== undefined) this.#redactor.learnTokens([[id, next]]);
      return next;
    });
  }
}

/** Wraps another store so that its tokens are registered with the redactor. */
export function observeCredentials(store: CredentialStore, redactor: HostRedactor): CredentialStore {
  const observed = (id: string, stored: StoredCredentials | undefined) => {
    if (stored !== undefined) redactor.learnTokens([[id, stored]]);
    return stored;
  };
  return {
    get: async (id) => observed(id, await store.get(id)),
    update: (id, change) => store.update(id, (stored) => observed(id, change(stored))),
    locked: (work) => store.locked(work),
    write: (id, change) => store.write(id, (stored) => observed(id, change(stored))),
  };
}
