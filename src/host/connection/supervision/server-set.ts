import type { CancelSignal } from '../../../contract/cancellation.ts';
import type { JsonObject, NotificationMessage, RequestMessage } from '../../../contract/json.ts';
import type {
  Era,
  Implementation,
  KeptSession,
  RequestOptions,
  TransportKind,
  Upstream,
} from '../../../wire/upstream.ts';
import type { Catalogue, CatalogueChange } from '../catalogue/catalogue.ts';
import type { ClientIdentity } from '../ports.ts';
import type { NamedServer } from './named-endpoint.ts';

export type ServerState = 'disabled' | 'connecting' | 'auth_required' | 'ready' | 'error';

/** The current status of a server; reading it never blocks. */
export interface ServerStatus {
  readonly id: string;
  readonly transport: TransportKind;
  readonly state: ServerState;
  /** Why it is in that state, as text: `idle`, `untrusted`, `reconnecting in 4 s (attempt 3)` … */
  readonly reason: string | undefined;
  readonly connected: boolean;
  readonly era: Era | undefined;
  readonly protocolVersion: string | undefined;
  readonly serverInfo: Implementation | undefined;
  /** Tools currently available. */
  readonly tools: number;
  readonly lastError: string | undefined;
  /** Only other nodes reported the error; this node has not verified it. */
  readonly isReportedByPeer?: boolean;
  /** Milliseconds since 1970. */
  readonly lastConnectedAt: number | undefined;
  /** The last ping or health check, successful or not, in milliseconds since 1970. */
  readonly lastProbedAt: number | undefined;
  /** The end of a stdio server's stderr, masked. */
  readonly stderr: string | undefined;
}

export interface SessionOptions {
  readonly signal?: AbortSignal;
  /** Start a stdio process with low priority, because no call waits for it. */
  readonly isBackground?: boolean;
  /** A session that other processes share. */
  readonly kept?: KeptSession | undefined;
  /** Called when the transport is open, before the first request to the server. */
  readonly onOpened?: () => void;
  /** The process of a stdio server, for its stderr. */
  readonly onProcess?: (process: { readonly stderr: string }) => void;
}

/** The connections of a host; `Host` implements it. Methods do not wait for a server unless their comment says so. */
export interface ServerSet {
  /**
   * Applies a new set of servers: starts new ones, stops removed ones, reconnects changed ones, and leaves equal ones alone. A new
   * server in `resting` shows its last catalogue and connects on first use.
   */
  apply(specs: readonly ServerSpec[], resting?: ReadonlyMap<string, Catalogue>): void;
  /** Sorted by id. */
  status(): readonly ServerStatus[];
  statusOf(id: string): ServerStatus | undefined;
  /** The last complete listing, also while the server is away. */
  catalogueOf(id: string): Catalogue;
  /**
   * The live connection; connects immediately if there is none, even during backoff. Call it for each request, because the connection
   * may have been replaced or closed. Rejects with an `UpstreamError`.
   */
  connection(id: string, signal?: CancelSignal): Promise<Upstream>;
  /** Sends a request on that connection, with the server's timeouts and the host's callbacks. */
  request(id: string, message: RequestMessage, options?: RequestOptions): Promise<JsonObject>;
  /**
   * Opens a separate connection for another client. It is not supervised; the caller closes it. Its session may be shared with other
   * processes.
   */
  openSession(id: string, client: ClientIdentity, options?: SessionOptions): Promise<Upstream>;
  /** Closes the connection of an idle server; the next request reopens it. */
  rest(id: string): Promise<void>;
  /** Closes the connection, resets the backoff and reconnects; resolves when that has succeeded or failed. */
  reconnect(id: string): Promise<void>;
  /** Resolves when every server has reached `ready`, `error` or `auth_required`. */
  settled(): Promise<void>;
  close(): Promise<void>;
  on(event: 'status', listener: (status: ServerStatus) => void): this;
  /** A server was removed or its definition changed: connections other than the supervised one are outdated. */
  on(event: 'removed', listener: (id: string) => void): this;
  /** A notification outside of any request, other than a list change. */
  on(event: 'notification', listener: (id: string, notification: NotificationMessage) => void): this;
  on(event: 'catalogue', listener: (id: string, change: CatalogueChange) => void): this;
}

/** A validated, expanded config entry. */
export type ServerSpec = StdioSpec | HttpSpec;

interface CommonSpec {
  readonly id: string;
  /** Timeout without an answer or progress; default 30,000. */
  readonly requestTimeoutMs?: number;
  /** Timeout of each handshake request; default: the rest of the start-up time. */
  readonly handshakeTimeoutMs?: number;
  /** Timeout of connect and handshake; default 60,000. */
  readonly startupTimeoutMs?: number;
  /** Total timeout of a call, regardless of progress; default 600,000. */
  readonly toolTimeoutMaxMs?: number;
  /** Closes the connection after this time without a request; the next request reopens it. */
  readonly idleStopMs?: number;
}

export interface StdioSpec extends CommonSpec {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args?: readonly string[];
  /** The working directory, absolute: never that of this process, which may be an untrusted project. */
  readonly cwd: string;
  /** The working directory belongs to this server alone and is created if missing. */
  readonly isOwnCwd?: true;
  /** Untrusted: programs in this folder are not found by name. */
  readonly untrustedDir?: string;
  /** Added to the minimal environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface HttpSpec extends CommonSpec {
  /** `sse` tries HTTP+SSE first instead of last. */
  readonly transport: 'http' | 'sse';
  /** Its URL; undefined for a server that is configured by name. */
  readonly url?: string;
  /** Its name, resolved at each connect. */
  readonly identity?: NamedServer;
  /** Not entered by the user: only public addresses are dialled. */
  readonly publicOnly?: true;
  /** Path of a health check on the same origin: 200 means healthy. */
  readonly healthCheck?: string;
  /** Applied last: a configured Authorization wins over a token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** False: a 401 is an error and starts no sign-in. */
  readonly oauth?: false | OAuthSpec;
}

export interface OAuthSpec {
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly registrationUrl?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** URL of the client metadata document, which serves as the client id. */
  readonly clientMetadataUrl?: string;
  readonly scope?: string;
  /** The full redirect URI, if the authorization server accepts only a fixed one. */
  readonly redirectUri?: string;
  readonly callbackPort?: number;
  /** The `resource` parameter; `false` omits it, because some authorization servers reject it. */
  readonly resource?: string | false;
  /** Allow a server at a public address to name an authorization server at a private one. */
  readonly allowPrivateEndpoints?: boolean;
}
