import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { isWithinExtent } from '../../wire/json-extent.ts';
import { isModernVersion, LEGACY_VERSIONS, META, MODERN_VERSIONS, RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { isLogLevel } from '../lists/log-levels.ts';
import { RpcFailure, resultBytes } from './answers.ts';
import type { Client, ClientRequest } from './client.ts';

/**
 * A client's declarations are kept with its session and compared with each request, so they are bounded: a client that exceeds the
 * bounds is refused. Of `clientInfo` only name and version are kept; the body limit bounds the rest (icons, titles).
 */
function declaredClient(capabilities: unknown, clientInfo: unknown): Pick<Client, 'capabilities' | 'info'> {
  return { capabilities: declaredCapabilities(capabilities), info: declaredInfo(clientInfo) };
}

/** The client of an `initialize` request: its negotiated revision and its declarations. */
export function initializingClient({
  params,
}: ClientRequest): Pick<Client, 'protocolVersion' | 'capabilities' | 'info'> {
  const protocolVersion = LEGACY_VERSIONS.find((known) => known === params?.protocolVersion) ?? LEGACY_VERSIONS[0];
  return { protocolVersion, ...declaredClient(params?.capabilities, params?.clientInfo) };
}

/** The answer to `initialize`. */
export function initializeAnswer(
  request: ClientRequest,
  { protocolVersion }: Pick<Client, 'protocolVersion'>,
  {
    info,
    capabilities,
    instructions,
  }: { info: JsonObject; capabilities: JsonObject; instructions: string | undefined },
): Uint8Array {
  const result = { protocolVersion, capabilities, serverInfo: info, instructions: instructions || undefined };
  return resultBytes(request, JSON.stringify(result));
}

function declaredCapabilities(value: unknown): JsonObject {
  if (!isObject(value)) return {};
  const { clientCapabilityBytesMax: bytesMax, clientCapabilityDepthMax: depthMax } = PROXY_LIMITS;
  if (isWithinExtent(value, { bytesMax, depthMax })) return value;
  throw tooLarge(`capabilities have more than ${bytesMax} bytes or ${depthMax} levels`, 'capabilities');
}

/** Name and version of a client, if it declares both. */
function declaredInfo(value: unknown): Client['info'] {
  if (!isObject(value) || typeof value.name !== 'string' || typeof value.version !== 'string') return undefined;
  const info = { name: value.name, version: value.version };
  const bytesMax = PROXY_LIMITS.clientInfoBytesMax;
  if (isWithinExtent(info, { bytesMax, depthMax: 1 })) return info;
  throw tooLarge(`name and version of clientInfo have more than ${bytesMax} bytes`, 'clientInfo');
}

function tooLarge(what: string, member: string): RpcFailure {
  return new RpcFailure(RPC.invalidParams, `Invalid params: ${what}`, {
    data: { code: 'CLIENT_DECLARATION_TOO_LARGE', member },
    httpStatus: 400,
  });
}

/** The revision that a request claims in its `_meta`. */
export function claimedVersion(params: JsonObject | undefined): unknown {
  return isObject(params?._meta) ? params._meta[META.protocolVersion] : undefined;
}

/** Whether the named revision has no sessions. */
export function isModernClaim(version: unknown): boolean {
  return typeof version === 'string' && isModernVersion(version);
}

/** The client that a request of revision 2026-07-28 declares. Throws if its `_meta` is incomplete. */
export function modernClient(request: Pick<ClientRequest, 'params'>, profile: string, caller: string): Client {
  const meta = request.params?._meta;
  const envelope: JsonObject = isObject(meta) ? meta : {};
  const version = envelope[META.protocolVersion];
  const missing = [META.protocolVersion, META.clientCapabilities].filter((key) => envelope[key] === undefined);
  if (missing.length > 0)
    throw new RpcFailure(RPC.invalidParams, `Invalid params: _meta lacks ${missing.join(', ')}`, {
      data: { envelope: { missing } },
      httpStatus: 400,
    });
  if (!MODERN_VERSIONS.some((known) => known === version)) {
    throw new RpcFailure(RPC.unsupportedVersion, 'Unsupported protocol version', {
      data: { supported: MODERN_VERSIONS, requested: version },
      httpStatus: 400,
    });
  }
  if (!isObject(envelope[META.clientCapabilities]))
    throw new RpcFailure(RPC.invalidParams, 'Invalid params: clientCapabilities must be an object', {
      httpStatus: 400,
    });
  const { capabilities, info } = declaredClient(envelope[META.clientCapabilities], envelope[META.clientInfo]);
  const key = createHash('sha256')
    .update(JSON.stringify([caller, profile, info, capabilities]))
    .digest('hex');
  const level = envelope[META.logLevel];
  return {
    era: '2026',
    protocolVersion: version as string,
    profile,
    caller,
    session: undefined,
    info,
    capabilities,
    key,
    ...(isLogLevel(level) ? { logLevel: level } : {}),
  };
}
