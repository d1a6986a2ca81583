import { isObject, type JsonObject } from '../../contract/json.ts';
import { isWithinExtent } from '../../wire/json-extent.ts';
import { RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { RpcFailure } from './answers.ts';
import type { Client } from './client.ts';

/**
 * What a client declares of itself is kept with its session and compared with each request, so it has limits: a client beyond them is
 * refused. Of `clientInfo` only name and version are kept; the rest (icons, titles) is bounded by the body alone.
 */
export function declaredClient(capabilities: unknown, clientInfo: unknown): Pick<Client, 'capabilities' | 'info'> {
  return { capabilities: declaredCapabilities(capabilities), info: declaredInfo(clientInfo) };
}

function declaredCapabilities(value: unknown): JsonObject {
  if (!isObject(value)) return {};
  const { clientCapabilityBytesMax: bytesMax, clientCapabilityDepthMax: depthMax } = PROXY_LIMITS;
  if (isWithinExtent(value, { bytesMax, depthMax })) return value;
  throw tooLarge(`capabilities have more than ${bytesMax} bytes or ${depthMax} levels`, 'capabilities');
}

/** Name and version of a client, where it gave both. */
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
