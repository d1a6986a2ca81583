import type { NamedServer } from './named-endpoint.ts';

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
  /** Programs in this folder are not found by name: nobody has trusted it. */
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
  /** Somebody other than the user named its address: only public ones are dialled. */
  readonly publicOnly?: true;
  /** Path of a health check at the same origin: 200 is healthy. */
  readonly healthCheck?: string;
  /** Applied last: a configured Authorization wins over a token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** False: a 401 is an error, nobody is asked to sign in. */
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
