import { type StoredCredentials, TokenStore } from '../oauth/token-store.ts';
import type { HostRedactor } from './host-redactor.ts';

/** The token file, whose every new token is known to the redactor before anyone can write of it. */
export class ObservedTokens extends TokenStore {
  readonly #redactor: HostRedactor;

  constructor(path: string, redactor: HostRedactor) {
    super(path);
    this.#redactor = redactor;
  }

  override write(
    id: string,
    change: (stored: StoredCredentials | undefined) => StoredCredentials | undefined,
  ): Promise<void> {
    return super.write(id, (stored) => {
      const next = change(stored);
      if (next !== undefined) this.#redactor.learnTokens([next]);
      return next;
    });
  }
}
