import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import lockfile from 'proper-lockfile';
import writeFileAtomic from 'write-file-atomic';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import { OAuthError } from './oauth-error.ts';

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

/** The file of tokens: atomic, readable by its owner only, safe between processes. Unknown members are kept. */
export class TokenStore implements CredentialStore {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async get(id: string): Promise<StoredCredentials | undefined> {
    return (await this.list())[id];
  }

  async list(): Promise<Readonly<Record<string, StoredCredentials>>> {
    const { servers } = await this.#read();
    if (!isObject(servers)) return {};
    return Object.fromEntries(Object.entries(servers).filter(([, entry]) => isObject(entry))) as Record<
      string,
      StoredCredentials
    >;
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
    const release = await this.#lock();
    try {
      return await work();
    } finally {
      await release();
    }
  }

  /** As `update`, for whoever holds the lock. */
  async write(
    id: string,
    change: (stored: StoredCredentials | undefined) => StoredCredentials | undefined,
  ): Promise<void> {
    const file = await this.#read();
    const servers: Record<string, unknown> = isObject(file.servers) ? { ...file.servers } : {};
    const next = change(isObject(servers[id]) ? (servers[id] as StoredCredentials) : undefined);
    if (next === undefined) delete servers[id];
    else servers[id] = next;
    const text = `${JSON.stringify({ ...file, version: 1, servers }, null, 2)}\n`;
    await writeFileAtomic(this.#path, text, { mode: 0o600 });
  }

  async #read(): Promise<JsonObject> {
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

  async #lock(): Promise<() => Promise<void>> {
    const tries = Math.ceil(LIMITS.lockWaitMs / LIMITS.lockPollMs);
    try {
      return await lockfile.lock(this.#path, {
        realpath: false,
        stale: LIMITS.lockStaleMs,
        retries: { retries: tries, minTimeout: LIMITS.lockPollMs / 4, maxTimeout: LIMITS.lockPollMs, factor: 1.2 },
      });
    } catch (thrown) {
      throw new OAuthError('store_locked', 'another process holds the token file', thrown);
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
