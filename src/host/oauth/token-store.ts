import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isObject, type JsonObject, parseJson } from '../../contract/json.ts';
import { lateLibrary } from '../../libraries/late-library.ts';
import { type FileLock, lockFile } from '../config/file-lock.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import { OAuthError } from './oauth-error.ts';
import type { SecretVault } from './secret-vault.ts';

const writeFileAtomic = lateLibrary<typeof import('write-file-atomic')>('write-file-atomic');

/** An entry of `mcp-auth.json`. Tokens are valid only for the URL and the issuer that they were issued for. */
export interface StoredCredentials {
  readonly access_token?: string;
  readonly refresh_token?: string;
  /** Milliseconds since 1970. */
  readonly expires_at?: number;
  /** When to renew it, in milliseconds since 1970; undefined: some time before it expires. */
  readonly renew_at?: number;
  readonly token_type?: string;
  readonly scope?: string;
  /** Scopes that calls lacked: the next sign-in requests them too. */
  readonly needed_scope?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly client_secret_expires_at?: number;
  readonly auth_method?: string;
  readonly redirect_uri?: string;
  readonly url?: string;
  readonly issuer?: string;
  /** The `resource` parameter, which a renewal repeats. */
  readonly resource?: string;
}

/** Stores credentials by server. */
export interface CredentialStore {
  /** How a person signs in if no command can reach this store; absent: `bindery mcp auth login`. */
  readonly login?: string;
  get(id: string): Promise<StoredCredentials | undefined>;
  /** Replaces one server's entry with the result of `change`; undefined removes it. */
  update(id: string, change: (stored: StoredCredentials | undefined) => StoredCredentials | undefined): Promise<void>;
  /** Runs a function while holding the write lock. */
  locked<T>(work: () => Promise<T>): Promise<T>;
  /** Like `update`, for a caller that holds the lock. */
  write(id: string, change: (stored: StoredCredentials | undefined) => StoredCredentials | undefined): Promise<void>;
}

/** The result of `clear`. */
export interface Cleared {
  readonly found: boolean;
  /** The new path of the damaged file. */
  readonly setAside?: string;
}

/** An entry as it is in the file: its secrets may be in the keychain. */
type FileEntry = StoredCredentials & { readonly stored_in?: 'keychain' };

/** The parsed file. */
interface TokenFile {
  readonly members: JsonObject;
  readonly entries: ReadonlyMap<string, FileEntry>;
  /** Damaged entries; the others are not affected. */
  readonly damaged: ReadonlySet<string>;
  /** The whole file is not valid JSON, and not empty. */
  readonly isDamaged: boolean;
  /** The file exists but is empty: a crash or a full disk may have truncated it. */
  readonly isEmpty?: boolean;
}

const SECRETS = ['access_token', 'refresh_token', 'client_secret'] as const;

/**
 * The token file: written atomically, readable by its owner only, safe between processes. Keeps unknown members. With a vault, the
 * secrets are there, and the file has the rest.
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

  /** Rejects with the code `store_damaged` if this entry or the whole file is damaged. */
  async get(id: string): Promise<StoredCredentials | undefined> {
    const file = await this.#read();
    const damage = damageOf(file, id);
    if (damage !== undefined) throw new OAuthError('store_damaged', damage);
    return this.#withSecrets(id, file.entries.get(id));
  }

  /** The usable entries; `damage` reports the others. */
  async list(): Promise<Readonly<Record<string, StoredCredentials>>> {
    const unlocked = [...(await this.#read()).entries].map(
      async ([id, entry]) => [id, await this.#withSecrets(id, entry)] as const,
    );
    return Object.fromEntries(await Promise.all(unlocked)) as Record<string, StoredCredentials>;
  }

  /** Describes the damaged parts of the file. */
  async damage(): Promise<readonly string[]> {
    const file = await this.#read();
    if (file.isDamaged) return [FILE_DAMAGED];
    if (file.isEmpty) return [FILE_EMPTY];
    return [...file.damaged].map((id) => damageOf(file, id) ?? '');
  }

  /** Like `list`, for masking secrets: leaves out entries that cannot be read now. */
  async known(): Promise<readonly (readonly [id: string, StoredCredentials])[]> {
    try {
      return Object.entries(await this.list());
    } catch {
      // The keychain is locked or the file is unreadable: a server that needs a token reports it.
      const file = await this.#read().catch(() => undefined);
      return [...(file?.entries ?? [])];
    }
  }

  /** Removes a server's entry, damaged or not, and returns whether there was one; sets the file aside if all of it is damaged. */
  async clear(id: string): Promise<Cleared> {
    return this.locked(async () => {
      const file = await this.#read();
      const found = file.entries.has(id) || file.damaged.has(id) || file.isDamaged;
      const setAside = found ? await this.#write(id, file, undefined) : undefined;
      return setAside === undefined ? { found } : { found, setAside };
    });
  }

  async update(
    id: string,
    change: (stored: StoredCredentials | undefined) => StoredCredentials | undefined,
  ): Promise<void> {
    await this.locked(() => this.write(id, change));
  }

  /** Runs work while no other process writes: read again, renew, save. */
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

  async write(
    id: string,
    change: (stored: StoredCredentials | undefined) => StoredCredentials | undefined,
  ): Promise<void> {
    const file = await this.#read();
    await this.#write(id, file, change(await this.#withSecrets(id, file.entries.get(id))));
  }

  /** Writes one entry and keeps the others. Returns the path of the previous file if it was damaged. */
  async #write(id: string, file: TokenFile, next: StoredCredentials | undefined): Promise<string | undefined> {
    const { members } = file;
    const servers: Record<string, unknown> = isObject(members.servers) ? { ...members.servers } : {};
    // The data may be stale: another process may have taken the lock and written.
    if ([...this.#held].some(({ isLost }) => isLost)) {
      throw new OAuthError('store_locked', 'the lock of the token file was lost');
    }
    const left = await this.#storeSecrets(id, next);
    if (left === undefined) delete servers[id];
    else servers[id] = left;
    const setAside = file.isDamaged ? `${this.#path}.damaged-${Date.now()}` : undefined;
    // The person may still recover something from it.
    if (setAside !== undefined) await rename(this.#path, setAside);
    const text = `${JSON.stringify({ ...members, version: 1, servers }, null, 2)}\n`;
    await writeFileAtomic()(this.#path, text, { mode: 0o600 });
    return setAside;
  }

  /** An entry with its secrets. Always queries the vault, so that an unusable one is reported. */
  async #withSecrets(id: string, entry: FileEntry | undefined): Promise<StoredCredentials | undefined> {
    const secrets = await this.#vault?.get(this.#account(id));
    if (entry?.stored_in === undefined) return entry;
    const { stored_in: _, ...rest } = entry;
    const kept = parseJson(String(secrets));
    return isObject(kept) ? { ...rest, ...kept } : rest;
  }

  /** Stores the secrets in the vault before the file refers to them; returns the entry for the file. */
  async #storeSecrets(id: string, entry: StoredCredentials | undefined): Promise<FileEntry | undefined> {
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

  /** Includes the path, because two config directories may have servers with the same name. */
  #account(id: string): string {
    return `${id} ${createHash('sha256').update(resolve(this.#path)).digest('hex').slice(0, 8)}`;
  }

  async #read(): Promise<TokenFile> {
    // Usually there is no file; checking is cheaper than a failing read, with many servers.
    if (!existsSync(this.#path)) return NO_FILE;
    try {
      return parseTokenFile(await readFile(this.#path, 'utf8'));
    } catch (thrown) {
      if (thrown instanceof OAuthError) throw thrown;
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return NO_FILE;
      throw new OAuthError('store_unreadable', 'the token file cannot be read', thrown);
    }
  }

  async #lock(): Promise<FileLock> {
    const tries = Math.ceil(LIMITS.lockWaitMs / LIMITS.lockPollMs);
    try {
      return await lockFile(this.#path, {
        stale: LIMITS.lockStaleMs,
        tries,
        restMs: LIMITS.lockPollMs,
      });
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      const why =
        code === 'ELOCKED' ? 'another process holds the token file' : `the token file cannot be locked (${code})`;
      throw new OAuthError('store_locked', why, thrown);
    }
  }
}

/** A store of sign-ins in a file: readable by its owner only, safe between processes. */
export function fileTokens(path: string): CredentialStore {
  return new TokenStore(resolve(path));
}

const FILE_DAMAGED = 'the token file is damaged; the next sign-in, or `bindery mcp auth clear`, sets it aside';
const FILE_EMPTY = 'the token file is empty: what was stored in it is lost, and the next sign-in writes it anew';
const NO_FILE: TokenFile = { members: {}, entries: new Map(), damaged: new Set(), isDamaged: false };

/** Throws for a file of another version, because overwriting it would destroy credentials. */
function parseTokenFile(text: string): TokenFile {
  const written = text.replace(/^\uFEFF/, '');
  if (written.trim() === '') return { ...NO_FILE, isEmpty: true };
  const value = parseJson(written);
  if (isObject(value) && value.version !== undefined && value.version !== 1) {
    throw new OAuthError('store_unreadable', 'the token file is not of version 1');
  }
  if (!isObject(value) || (value.servers !== undefined && !isObject(value.servers))) {
    return { ...NO_FILE, isDamaged: true };
  }
  const all = Object.entries(value.servers ?? {});
  const usable = all.filter((one): one is [string, FileEntry] => isEntry(one[1]));
  const entries = new Map(usable);
  const damaged = new Set(all.map(([id]) => id).filter((id) => !entries.has(id)));
  return { members: value, entries, damaged, isDamaged: false };
}

const TEXTS = new Set([
  ...['access_token', 'refresh_token', 'token_type', 'scope', 'needed_scope', 'client_id', 'client_secret'],
  ...['auth_method', 'redirect_uri', 'url', 'issuer', 'resource'],
]);
const TIMES = new Set(['expires_at', 'renew_at', 'client_secret_expires_at']);

function isEntry(value: unknown): value is FileEntry {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, member]) => {
    if (TEXTS.has(name)) return typeof member === 'string';
    return !TIMES.has(name) || Number.isFinite(member);
  });
}

function damageOf({ isDamaged, damaged }: TokenFile, id: string): string | undefined {
  if (isDamaged) return FILE_DAMAGED;
  return damaged.has(id)
    ? `what is stored to sign in to ${id} is damaged; a new sign-in, or \`bindery mcp auth clear ${id}\`, repairs it`
    : undefined;
}
