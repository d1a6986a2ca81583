import { BinderyError } from '../../contract/errors.ts';
import { didYouMean } from '../../contract/nearest-word.ts';
import type { Clock } from '../../contract/ports.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { ConfiguredServer } from '../config/configured-servers.ts';
import type { ListedSetting } from '../config/settings/setting.ts';
import type { StoredCredentials } from '../oauth/token-store.ts';
import type { TrustStore } from '../trust/trust-store.ts';

/** The members of stored credentials that commands handle. */
type StoredToken = Pick<
  StoredCredentials,
  'access_token' | 'refresh_token' | 'expires_at' | 'renew_at' | 'token_type' | 'scope' | 'url'
>;

export interface TokenFile {
  list(): Promise<Readonly<Record<string, StoredToken>>>;
  /** Describes stored credentials that are damaged. */
  damage(): Promise<readonly string[]>;
  /** Removes the credentials of a server; sets a damaged file aside. */
  clear(id: string): Promise<{ readonly found: boolean; readonly setAside?: string }>;
  update(id: string, change: (stored: StoredToken | undefined) => StoredToken | undefined): Promise<void>;
}

/** A running gateway with the same data directory. */
export interface RunningGateway {
  /** All its servers, as `GET /v1/servers` lists them. */
  servers(): Promise<{ readonly items: readonly Record<string, unknown>[]; readonly config_error?: string }>;
  /** `GET /v1/servers/{id}`; throws `SERVER_NOT_FOUND`. */
  server(id: string): Promise<Record<string, unknown>>;
  /** `POST /v1/servers/{id}/{action}` with the admin credential. */
  act(id: string, action: 'reconnect' | 'login'): Promise<Record<string, unknown>>;
}

/** The result of a test connection. */
export interface Probe {
  readonly era: string;
  readonly protocolVersion: string;
  readonly serverInfo: unknown;
  /** Tools that a gateway offers. */
  readonly tools: number;
  /** Tools that the server lists and a gateway does not offer. */
  readonly toolsLeftOut: number;
  /** Why they are left out; undefined if none is. */
  readonly leftOutReason: string | undefined;
}

/** Users' sign-ins to servers that need a credential per user. */
export interface UserSignIns {
  list(): Promise<readonly { readonly user: string; readonly server: string; readonly updated_at: string }[]>;
  /** Also closes the user's connections, if a gateway runs. Throws `CREDENTIAL_NOT_FOUND`. */
  clear(user: string, server: string): Promise<void>;
}

/** The dependencies of the host's operations. */
export interface HostDeps {
  readonly config: ConfigStore;
  /** All keys of config.json, including those of other rooms. */
  settings(): Promise<readonly ListedSetting[]>;
  readonly trust: TrustStore;
  readonly tokens: TokenFile;
  readonly userSignIns: UserSignIns;
  readonly clock: Clock;
  /** Undefined: no gateway is running. */
  findGateway(): Promise<RunningGateway | undefined>;
  /** Connects once, lists the tools, disconnects. Rejects with a message for a person. */
  probe(server: ConfiguredServer, signal: AbortSignal): Promise<Probe>;
  /** The URL of an HTTP server in the form that tokens are bound to; throws `SERVER_INVALID`. */
  urlOf(server: ConfiguredServer, signal: AbortSignal): Promise<string>;
  /** Signs in to a server in this process; resolves when the token is stored. */
  signIn(server: ConfiguredServer, signal: AbortSignal): Promise<void>;
  /** Shows the sign-in URL to a person, and opens it if possible. */
  openUrl(url: string): Promise<void>;
  /** Reads a secret from a file (`-`: stdin), or from a prompt without echo; throws `USAGE` if there is none. */
  readSecret(question: string, file: string | undefined): Promise<string>;
  /** Why the program of an entry cannot be started here; undefined if it can, or if the entry has none. */
  missingProgram(entry: Readonly<Record<string, unknown>>): string | undefined;
  /** What is at a path, which may be relative to the project; undefined if nothing is. */
  kindOf(path: string): 'file' | 'folder' | undefined;
  /** Shows a line to the person that is not part of the answer. */
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

/** The error for an unknown server, with the most similar id. */
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
