import type { OAuthSpec, ServerSpec } from '../connection/supervision/server-set.ts';
import type { ConfiguredServer } from './configured-servers.ts';
import { type Environment, expandEnv } from './expand-env.ts';
import { launchPlace, type ServerPlaces } from './launch-place.ts';
import {
  handshakeTimeoutMs,
  healthCheckReason,
  requestTimeoutMs,
  type ServerEntry,
  urlReason,
} from './server-entry.ts';

export interface SpecContext extends ServerPlaces {
  readonly env: Environment;
}

/** A valid entry, and the config file that defines it. */
export type NamedEntry = Pick<ConfiguredServer, 'id' | 'source' | 'file'> & { readonly entry: ServerEntry };

export type SpecOrReason =
  | { readonly spec: ServerSpec; readonly reason?: undefined }
  | { readonly spec?: undefined; readonly reason: string };

/** Converts an entry to a connection spec: expands variables, and renames members. */
export function toServerSpec(server: NamedEntry, context: SpecContext): SpecOrReason {
  const expanded = expandEnv(server.entry, context.env);
  if ('reason' in expanded) return { reason: expanded.reason };
  const { entry } = expanded;
  const common = definedOnly({
    id: server.id,
    requestTimeoutMs: requestTimeoutMs(entry),
    handshakeTimeoutMs: handshakeTimeoutMs(entry),
    startupTimeoutMs: entry.startup_timeout_ms,
    toolTimeoutMaxMs: entry.tool_timeout_max_ms,
    idleStopMs: entry.keep_alive === true ? undefined : entry.idle_stop_ms,
  });
  if (entry.transport === 'stdio') {
    const place = launchPlace({ ...server, entry }, context);
    if ('reason' in place) return place;
    return { spec: { ...common, ...place, ...definedOnly({ args: entry.args, env: entry.env }), transport: 'stdio' } };
  }
  const reason = entry.url === undefined ? undefined : (urlReason(entry.url) ?? healthCheckReason(entry));
  if (reason !== undefined) return { reason };
  const { url, identity: name, identity_keys: keys } = entry;
  const identity = name === undefined ? undefined : definedOnly({ name, keys });
  const own = definedOnly({
    url,
    identity,
    healthCheck: entry.health_check,
    headers: entry.headers,
    oauth: entry.oauth && oauthSpec(entry.oauth),
  });
  return {
    spec: { ...common, ...own, transport: entry.transport, ...(entry.oauth === false ? { oauth: false } : {}) },
  };
}

function oauthSpec(oauth: Exclude<ServerEntry['oauth'], false | undefined>): OAuthSpec {
  return definedOnly({
    authorizationUrl: oauth.authorization_url,
    tokenUrl: oauth.token_url,
    registrationUrl: oauth.registration_url,
    clientId: oauth.client_id,
    clientSecret: oauth.client_secret,
    clientMetadataUrl: oauth.client_metadata_url,
    scope: oauth.scope,
    redirectUri: oauth.redirect_uri,
    callbackPort: oauth.callback_port,
    resource: oauth.resource,
    allowPrivateEndpoints: oauth.allow_private_endpoints,
  });
}

type DefinedOnly<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Removes undefined members. */
function definedOnly<T extends object>(value: T): DefinedOnly<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as DefinedOnly<T>;
}
