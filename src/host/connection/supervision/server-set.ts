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

/** What is known of a server right now; reading it never waits. */
export interface ServerStatus {
  readonly id: string;
  readonly transport: TransportKind;
  readonly state: ServerState;
  /** Why it is in that state, for people: `idle`, `untrusted`, `reconnecting in 4 s (attempt 3)` … */
  readonly reason: string | undefined;
  readonly connected: boolean;
  readonly era: Era | undefined;
  readonly protocolVersion: string | undefined;
  readonly serverInfo: Implementation | undefined;
  /** Tools currently available. */
  readonly tools: number;
  readonly lastError: string | undefined;
  /** Only other nodes found it in error; this one has not checked it. */
  readonly isHearsay?: boolean;
  /** Milliseconds since 1970. */
  readonly lastConnectedAt: number | undefined;
  /** When the server was last pinged or checked, whatever came of it, in milliseconds since 1970. */
  readonly lastProbedAt: number | undefined;
  /** The masked tail of what a stdio server wrote to stderr. */
  readonly stderr: string | undefined;
}

export interface SessionOptions {
  readonly signal?: AbortSignal;
  /** No call waits for it: the process of a stdio server starts with low priority. */
  readonly isBackground?: boolean;
  /** A session that other processes use as well. */
  readonly kept?: KeptSession | undefined;
  /** Called when the transport is open, before the first request to the server. */
  readonly onOpened?: () => void;
  /** The process of a stdio server, for its stderr. */
  readonly onProcess?: (process: { readonly stderr: string }) => void;
}

/** The connections of a host: `Host` is one. Nothing here waits for a server unless it says so. */
export interface ServerSet {
  /**
   * Takes the servers: new ones start, removed ones stop, changed ones reconnect, equal ones stay. A new one in `resting`
   * shows what it offered last and is not connected before somebody needs it.
   */
  apply(specs: readonly ServerSpec[], resting?: ReadonlyMap<string, Catalogue>): void;
  /** Sorted by id. */
  status(): readonly ServerStatus[];
  statusOf(id: string): ServerStatus | undefined;
  /** The last complete listing, also while the server is away. */
  catalogueOf(id: string): Catalogue;
  /**
   * The live connection; connects at once if there is none, even during backoff. Ask for it at each request: it may have
   * been replaced, or rest. Rejects with an `UpstreamError`.
   */
  connection(id: string, signal?: CancelSignal): Promise<Upstream>;
  /** A request on that connection, with the server's own deadlines and the host's callbacks. */
  request(id: string, message: RequestMessage, options?: RequestOptions): Promise<JsonObject>;
  /**
   * A connection of one's own, for a session that speaks for somebody else. Not supervised; the caller closes it. Its session
   * may be one that other processes use as well.
   */
  openSession(id: string, client: ClientIdentity, options?: SessionOptions): Promise<Upstream>;
  /** Closes the connection of an idle server; the next request opens it again. */
  rest(id: string): Promise<void>;
  /** Closes the connection, resets its backoff and reconnects; resolves when that succeeded or failed. */
  reconnect(id: string): Promise<void>;
  /** Resolves when every server has reached `ready`, `error` or `auth_required`. */
  settled(): Promise<void>;
  close(): Promise<void>;
  on(event: 'status', listener: (status: ServerStatus) => void): this;
  /** A server was taken out, or its definition changed: connections beside the supervised one are of the past. */
  on(event: 'removed', listener: (id: string) => void): this;
  /** What a server says outside of any request, other than that its lists changed. */
  on(event: 'notification', listener: (id: string, notification: NotificationMessage) => void): this;
  on(event: 'catalogue', listener: (id: string, change: CatalogueChange) => void): this;
}

/** What a connection needs to know of a server: a validated, expanded config entry. */
export type ServerSpec = StdioSpec | HttpSpec;

interface CommonSpec {
  readonly id: string;
  /** Time without an answer or progress; default 30,000. */
  readonly requestTimeoutMs?: number;
  /** Time for one answer of the handshake; default: what is left of the time for all of it. */
  readonly handshakeTimeoutMs?: number;
  /** Time for connect and handshake; default 60,000. */
  readonly startupTimeoutMs?: number;
  /** Time for one call in all, whatever progress says; default 600,000. */
  readonly toolTimeoutMaxMs?: number;
  /** Ends the connection after this time without a request; the next request brings it back. */
  readonly idleStopMs?: number;
}

export interface StdioSpec extends CommonSpec {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args?: readonly string[];
  /** The working directory, absolute: never the one of this process, which may be a stranger's project. */
  readonly cwd: string;
  /** The working directory belongs to this server alone, and is made where it is missing. */
  readonly isOwnCwd?: true;
  /** Programs in this folder are not found by name: it is not trusted. */
  readonly untrustedDir?: string;
  /** Added to the minimal environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface HttpSpec extends CommonSpec {
  /** `sse` starts with HTTP+SSE instead of ending with it. */
  readonly transport: 'http' | 'sse';
  /** Where it is; a server that is known by its name has none. */
  readonly url?: string;
  /** Its name, which is resolved at each connect. */
  readonly identity?: NamedServer;
  /** The user did not name its address: only public addresses are dialled. */
  readonly publicOnly?: true;
  /** Path of a health check at the same origin: 200 is healthy. */
  readonly healthCheck?: string;
  /** Applied last: a configured Authorization wins over a token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** False: a 401 is an error, and no sign-in is started. */
  readonly oauth?: false | OAuthSpec;
}

export interface OAuthSpec {
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly registrationUrl?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Where the client metadata document stands that is the client id. */
  readonly clientMetadataUrl?: string;
  readonly scope?: string;
  /** The whole redirect URI, where the authorization server accepts only a fixed one. */
  readonly redirectUri?: string;
  readonly callbackPort?: number;
  /** The `resource` parameter; `false` leaves it out (some authorization servers refuse it). */
  readonly resource?: string | false;
  /** A server at a public address may name an authorization server at a private one. */
  readonly allowPrivateEndpoints?: boolean;
}
