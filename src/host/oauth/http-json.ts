import type { Dispatcher } from 'undici';
import { isObject, type JsonObject, parseJson } from '../../contract/json.ts';
import { isLoopbackHost } from '../../contract/public-address.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { BufferSink, exchange, type HttpRequest } from '../transports/http-exchange.ts';
import { HostNotPublic } from '../transports/public-agent.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import { OAuthError } from './oauth-error.ts';

export interface JsonResponse {
  readonly status: number;
  /** Undefined if the body is not a JSON object. */
  readonly body: JsonObject | undefined;
}

/** Sends a request to an untrusted address: limits time and size, and follows redirects within the origin only. */
export async function requestJson(
  dispatcher: Dispatcher,
  request: Omit<HttpRequest, 'signal'>,
  signal: AbortSignal | undefined,
): Promise<JsonResponse> {
  const deadline = AbortSignal.timeout(LIMITS.httpTimeoutMs);
  const sink = new BufferSink(LIMITS.metadataBytesMax);
  try {
    const both = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    const response = await exchange(dispatcher, { ...request, signal: both }, () => sink);
    await response.ended;
    return { status: response.status, body: parseObject(sink.bytes) };
  } catch (thrown) {
    if (thrown instanceof UpstreamError && thrown.cause instanceof HostNotPublic) throw privateEndpoint(thrown.cause);
    const late = deadline.aborted ? 'did not answer in time' : 'cannot be reached';
    throw new OAuthError('unreachable', `${request.url.origin} ${late}`, thrown);
  }
}

/** The error for a private address that the server must not send us to. */
export function privateEndpoint(cause: HostNotPublic): OAuthError {
  const next = 'if it is right, set oauth.allow_private_endpoints of this server';
  return new OAuthError('private_endpoint', `the server leads to a private address (${cause.message}); ${next}`, cause);
}

/** The URL of an authorization server's endpoint: https, or http on this machine. */
export function secureUrl(value: unknown, what: string): URL {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  const secure =
    url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname)));
  if (!secure || url.username !== '' || url.password !== '') {
    throw new OAuthError('insecure_endpoint', `the ${what} is not a secure URL`);
  }
  return url;
}

function parseObject(bytes: Buffer): JsonObject | undefined {
  const value = parseJson(bytes.toString('utf8'));
  return isObject(value) ? value : undefined;
}
