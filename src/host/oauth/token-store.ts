import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { lateLibrary } from '../../contract/late-library.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { type FileLock, lockFile } from '../config/file-lock.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import { OAuthError } from './oauth-error.ts';
import type { SecretVault } from './secret-vault.ts';

const writeFileAtomic = lateLibrary<typeof import('write-file-atomic')>('write-file-atomic');

/** What is kept per server in `mcp-auth.json`. Tokens count only for the URL and the issuer that they were got for. */
export interface StoredCredentials {
  readonly access_token?: string;
  readonly refresh_token?: string;
  /** Milliseconds since 1970. */
  readonly expires_at?: number;
  readonly token_type?: string;
  readonly scope?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly client_secret_expires_at?: number;
  readonly auth_method?: string;
  readonly redirect_uri?: string;
  readonly url?: string;
  readonly issuer?: string;
  /** What the `resource` parameter was, so that a renewal asks for the same. */
  readonly resource?: string;
}

/** Where an authorizer keeps what it got, by server. */
export interface CredentialStore {
  get(id: string): Promise<StoredCredentials | undefined>;
  /** Replaces one server's entry by what `change` makes of it; undefined removes it. */
  update(id: string, change: (stored: StoredCredentials | undefined) => StoredCredentials | undefined): Promise<void>;
  /** Runs something while nobody else writes. */
  locked<T>(work: () => Promise<T>): Promise<T>;
  /** As `update`, for whoever holds the lock. */
  write(id: string, change: (stored: StoredCredentials | undefined) => StoredCredentials | undefined): Promise<void>;
}

/** An entry as it stands in the file: its secrets may be elsewhere. */
type FileEntry = StoredCredentials & { readonly stored_in?: 'keychain' };

const SECRETS = ['access_token', 'refresh_token', 'client_secret'] as const;

/**
 * The file of tokens: atomic, readable by its owner only, safe between processes. Unknown members are kept. With a vault the
 * secrets are there, and the file holds what is left.
 */
export class TokenStore implements CredentialStore {
  readonly #path: string;
  readonly #vault: SecretVault | undefined;
  /** More than one only after a lock was lost. */
  readonly #held = new Set<FileLock>();

  constructor(path: string, vault?: SecretVault) {
    this.#path = path;
    this.#vault = vault;
  }

  async get(id: string): Promise<StoredCredentials | undefined> {
    return this.#unlocked(id, entriesOf(await this.#read())[id]);
  }

  async list(): Promise<Readonly<Record<string, StoredCredentials>>> {
    const entries = Object.entries(entriesOf(await this.#read()));
    const unlocked = entries.map(async ([id, entry]) => [id, await this.#unlocked(id, entry)] as const);
    return Object.fromEntries(await Promise.all(unlocked)) as Record<string, StoredCredentials>;
  }

  /** As `list`, for whoever only wants to know what to mask: what cannot be read now is left out. */
  async known(): Promise<readonly (readonly [id: string, StoredCredentials])[]> {
    return Object.entries(await this.list().catch(async () => entriesOf(await this.#read())));
  }

  /** Replaces one server's entry by what `change` makes of it; undefined removes it. */
  async update(
    id: string,
    change: (stored: StoredCredentials | undefined) => StoredCredentials | undefined,
  ): Promise<void> {
    await this.locked(() => this.write(id, change));
  }

  /** Runs something while no other process writes: read again, renew, save. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const lock = await this.#lock();
    this.#held.add(lock);
    try {
      return await work();
    } finally {
      this.#held.delete(lock);
      await lock.release();
    }
  }

  /** As `update`, for whoever holds the lock. */
  async write(
    id: string,
    change: (stored: StoredCredentials | undefined) => StoredCredentials | undefined,
  ): Promise<void> {
    const file = await this.#read();
    const servers: Record<string, unknown> = isObject(file.servers) ? { ...file.servers } : {};
    const next = change(await this.#unlocked(id, entriesOf(file)[id]));
    // What was read may be old: whoever took the lock over may have written meanwhile.
    if ([...this.#held].some(({ isLost }) => isLost)) {
      throw new OAuthError('store_locked', 'the lock of the token file was lost');
    }
    const left = await this.#lockAway(id, next);
    if (left === undefined) delete servers[id];
    else servers[id] = left;
    const text = `${JSON.stringify({ ...file, version: 1, servers }, null, 2)}\n`;
    await writeFileAtomic()(this.#path, text, { mode: 0o600 });
  }

  /** An entry with its secrets; a vault that cannot be used says so whether or not there is anything in it. */
  async #unlocked(id: string, entry: FileEntry | undefined): Promise<StoredCredentials | undefined> {
    const secrets = await this.#vault?.get(this.#account(id));
    if (entry?.stored_in === undefined) return entry;
    const { stored_in: _, ...rest } = entry;
    const kept = secrets === undefined ? undefined : parse(secrets);
    return isObject(kept) ? { ...rest, ...kept } : rest;
  }

  /** Puts the secrets of an entry away before the file tells of them; gives what the file holds. */
  async #lockAway(id: string, entry: StoredCredentials | undefined): Promise<FileEntry | undefined> {
    if (this.#vault === undefined) return entry;
    const members = Object.entries(entry ?? {});
    const isSecret = ([name]: [string, unknown]) => (SECRETS as readonly string[]).includes(name);
    const secrets = members.filter(isSecret);
    if (secrets.length === 0) {
      await this.#vault.delete(this.#account(id));
      return entry;
    }
    await this.#vault.set(this.#account(id), JSON.stringify(Object.fromEntries(secrets)));
    return { ...Object.fromEntries(members.filter((member) => !isSecret(member))), stored_in: 'keychain' };
  }

  /** Two config directories may know servers of the same name. */
  #account(id: string): string {
    return `${id} ${createHash('sha256').update(resolve(this.#path)).digest('hex').slice(0, 8)}`;
  }

  async #read(): Promise<JsonObject> {
    // Most have signed in nowhere; with many servers it costs less to look than to fail.
    if (!existsSync(this.#path)) return {};
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw new OAuthError('store_unreadable', 'the token file cannot be read', thrown);
    }
    const value = parse(text);
    if (!isObject(value) || (value.version !== undefined && value.version !== 1)) {
      // Writing over a file that is not understood would destroy credentials.
      throw new OAuthError('store_unreadable', 'the token file is not of version 1');
    }
    return value;
  }

  async #lock(): Promise<FileLock> {
    const tries = Math.ceil(LIMITS.lockWaitMs / LIMITS.lockPollMs);
    try {
      return await lockFile(this.#path, {
        stale: LIMITS.lockStaleMs,
        retries: { retries: tries, minTimeout: LIMITS.lockPollMs / 4, maxTimeout: LIMITS.lockPollMs, factor: 1.2 },
      });
    } catch (thrown) {
      throw new OAuthError('store_locked', 'another process holds the token file', thrown);
    }
  }
}

function entriesOf({ servers }: JsonObject): Readonly<Record<string, FileEntry>> {
  const entries = isObject(servers) ? Object.entries(servers).filter(([, entry]) => isObject(entry)) : [];
  return Object.fromEntries(entries) as Record<string, FileEntry>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
