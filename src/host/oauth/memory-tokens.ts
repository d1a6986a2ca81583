import { Semaphore } from '../connection/pool/semaphore.ts';
import type { CredentialStore, StoredCredentials } from './token-store.ts';

/** A store of sign-ins in memory, for the lifetime of the process. */
export function memoryTokens(): CredentialStore {
  const entries = new Map<string, StoredCredentials>();
  const turns = new Semaphore(1);
  const write: CredentialStore['write'] = async (id, change) => {
    const next = change(entries.get(id));
    if (next === undefined) entries.delete(id);
    else entries.set(id, next);
  };
  const locked: CredentialStore['locked'] = (work) => turns.use(work);
  return {
    login: 'call `login` of the host',
    get: async (id) => entries.get(id),
    locked,
    write,
    update: (id, change) => locked(() => write(id, change)),
  };
}
