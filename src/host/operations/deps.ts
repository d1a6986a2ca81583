import { BinderyError } from '../../contract/errors.ts';
import { didYouMean } from '../../contract/nearest-word.ts';
import type { Clock } from '../../contract/ports.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { ConfiguredServer } from '../config/configured-servers.ts';
import type { ListedSetting } from '../config/settings/setting.ts';
import type { StoredCredentials } from '../oauth/token-store.ts';
import type { TrustStore } from '../trust/trust-store.ts';

/** What a server's stored credentials are, as far as people handle them. */
type StoredToken = Pick<
  StoredCredentials,
  'access_token' | 'refresh_token' | 'expires_at' | 'renew_at' | 'token_type' | 'scope' | 'url'
>;

export interface TokenFile {
  list(): Promise<Readonly<Record<string, StoredToken>>>;
  /** Sentences about what is stored and cannot be used. */
  damage(): Promise<readonly string[]>;
  /** Removes what is stored for a server; a damaged file is set aside. */
  clear(id: string): Promise<{ readonly found: boolean; readonly setAside?: string }>;
  update(id: string, change: (stored: StoredToken | undefined) => StoredToken | undefined): Promise<void>;
}

/** A gateway that runs with the same data directory. */
export interface RunningGateway {
  /** Every server it knows, as `GET /v1/servers` lists them. */
  servers(): Promise<{ readonly items: readonly Record<string, unknown>[]; readonly config_error?: string }>;
  /** `GET /v1/servers/{id}`; throws `SERVER_NOT_FOUND`. */
  server(id: string): Promise<Record<string, unknown>>;
  /** `POST /v1/servers/{id}/{action}` with the admin credential. */
  act(id: string, action: 'reconnect' | 'login'): Promise<Record<string, unknown>>;
}

/** What a fresh connection found out. */
export interface Probe {
  readonly era: string;
  readonly protocolVersion: string;
  readonly serverInfo: unknown;
  /** Tools that a gateway offers. */
  readonly tools: number;
  /** Tools that the server lists and a gateway does not offer. */
  readonly toolsLeftOut: number;
  /** Why they are left out; undefined where none is. */
  readonly leftOutReason: string | undefined;
}

/** What users of a gateway got to sign in to servers that want a credential of each. */
export interface UserSignIns {
  list(): Promise<readonly { readonly user: string; readonly server: string; readonly updated_at: string }[]>;
  /** Ends the user's connections too, where a gateway runs. Throws `CREDENTIAL_NOT_FOUND`. */
  clear(user: string, server: string): Promise<void>;
}

/** What the commands of the host run on. */
export interface HostDeps {
  readonly config: ConfigStore;
  /** Every key of config.json, those of the other rooms included. */
  settings(): Promise<readonly ListedSetting[]>;
  readonly trust: TrustStore;
  readonly tokens: TokenFile;
  readonly userSignIns: UserSignIns;
  readonly clock: Clock;
  /** Undefined: none is running. */
  findGateway(): Promise<RunningGateway | undefined>;
  /** Connects once, lists the tools, disconnects. Rejects with words for a person. */
  probe(server: ConfiguredServer, signal: AbortSignal): Promise<Probe>;
  /** The URL of an HTTP server in the form that tokens are bound to; throws `SERVER_INVALID`. */
  urlOf(server: ConfiguredServer, signal: AbortSignal): Promise<string>;
  /** Signs in to a server in this process; resolves when the token is stored. */
  signIn(server: ConfiguredServer, signal: AbortSignal): Promise<void>;
  /** Shows a person the URL to sign in at, and opens it where that is possible. */
  openUrl(url: string): Promise<void>;
  /** A secret from a file (`-`: stdin), or from the person, who types it unseen; throws `USAGE` where there is none. */
  readSecret(question: string, file: string | undefined): Promise<string>;
  /** Why the program of an entry cannot be started from here; undefined where it is there, or where there is none. */
  missingProgram(entry: Readonly<Record<string, unknown>>): string | undefined;
  /** A line for the person that is not part of the answer. */
  warn(text: string): void;
}

/** The effective server with this id; warns about files that could not be read. */
export async function findServer(deps: HostDeps, id: string): Promise<ConfiguredServer> {
  const { servers, errors } = await deps.config.load();
  for (const error of errors) deps.warn(error);
  const found = servers.find((server) => server.id === id);
  if (!found) throw noSuchServer(id, servers);
  return found;
}

/** No server has this id; one that is spelled almost so is named. */
export function noSuchServer(id: string, servers: readonly { readonly id: string }[]): BinderyError {
  const hint = didYouMean(
    id,
    servers.map((server) => server.id),
  );
  return new BinderyError('SERVER_NOT_FOUND', {
    detail: `"${id}" is not configured`,
    members: { id },
    ...(hint === '' ? {} : { next: hint }),
  });
}
