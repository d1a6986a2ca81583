import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BinderyError, isStoreFailure, toBinderyError } from '../../contract/errors.ts';
import { incomingBodies, leaveBody } from '../../contract/incoming-bodies.ts';
import type { Log } from '../../contract/ports.ts';
import { isModernVersion, RPC } from '../../wire/revisions.ts';
import type { PlainPost } from '../fast-path/plain-posts.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { errorBytes, RpcFailure } from '../message/answers.ts';
import type { ClientMessage, ClientRequest } from '../message/client.ts';
import { readClientMessage, UnclearRequest } from '../message/client-message.ts';
import { type EdgeHead, type EdgeResponse, endWhenExpired, isForeignPage } from './edge-exchange.ts';
import {
  type Caller,
  type EdgeRequest,
  type HttpEdge,
  type HttpEdgeOptions,
  isPassable,
  type PassableRequest,
  type Relay,
} from './edge-request.ts';
import { deleteSession, openStream, postLegacy, postLegacyBatch, sessionOf } from './legacy-http.ts';
import { claimedVersion, modernClient, postModern } from './modern-http.ts';

/**
 * Serves `/mcp`. This is the hot path: nothing between it and the socket is needed. Plain posts are always served here, so there must be
 * none where requests are passed on.
 */
export function createHttpEdge(options: HttpEdgeOptions): HttpEdge {
  return async (request, response, profile) => {
    try {
      const named = admit(options, request, profile);
      const caller = named instanceof Promise ? await named : named;
      checkProfile(options, caller, profile);
      if (options.nodes) await options.nodes.meet(request.headers['mcp-session-id']);
      const edge = { request, response, profile, caller };
      if (request.method === 'POST' && !options.relay) await post(options, edge, await readBody(request));
      else await serveOther(options, edge);
      if (caller.until !== undefined && !response.writableEnded) endWhenExpired(response, caller.until, caller.over);
    } catch (thrown) {
      refuse(response, thrown, options.log);
    }
  };
}

function admit(options: HttpEdgeOptions, { headers }: EdgeHead, profile: string): Caller | Promise<Caller> {
  if (options.isDraining())
    throw new RpcFailure(RPC.internalError, 'The gateway is shutting down', { httpStatus: 503 });
  if (!options.acceptsHost(headers.host, headers.origin))
    throw new RpcFailure(RPC.invalidRequest, 'Host or Origin is not accepted', { httpStatus: 403 });
  if (headers['sec-fetch-site'] !== undefined && isForeignPage((name) => headers[name] as string | undefined))
    throw new RpcFailure(RPC.invalidRequest, 'Pages of other origins need a credential', { httpStatus: 403 });
  return options.authenticate(headers, profile);
}

function checkProfile({ gateway }: HttpEdgeOptions, caller: Caller, profile: string): void {
  if (caller.profiles && !caller.profiles.includes(profile))
    throw new RpcFailure(RPC.invalidRequest, 'The credential is for another profile', { httpStatus: 403 });
  gateway.views.view(profile);
}

async function serveOther(options: HttpEdgeOptions, edge: EdgeRequest): Promise<void> {
  if (options.relay && isPassable(edge)) return serveOrPass(options, edge, options.relay);
  switch (edge.request.method) {
    case 'GET':
      return openStream(options, edge);
    case 'DELETE':
      return deleteSession(options, edge);
    default:
      edge.response.setHeader('allow', 'POST, GET, DELETE');
      throw new RpcFailure(RPC.invalidRequest, 'Method not allowed', { httpStatus: 405 });
  }
}

/** A worker's part: calls that any process serves alike; the primary has the rest, and every refusal. */
async function serveOrPass(options: HttpEdgeOptions, edge: PassableRequest, relay: Relay): Promise<void> {
  const { request, response } = edge;
  if (request.method !== 'POST') return relay.pass(request, response);
  const body = await readBody(request);
  const message = callServedHere(options, edge, relay, body);
  return message ? postLegacy(options, edge, message) : relay.pass(request, response, body);
}

function callServedHere(
  options: HttpEdgeOptions,
  edge: EdgeRequest,
  relay: Relay,
  body: Uint8Array,
): ClientRequest | undefined {
  try {
    const message = isBatch(body) ? undefined : readClientMessage(body);
    if (message?.kind !== 'request' || message.method !== 'tools/call') return undefined;
    if (isModern(edge.request.headers, message)) return undefined;
    return relay.servesHere(sessionOf(options, edge).client, message) ? message : undefined;
  } catch {
    // Whatever is wrong with it, the primary says it.
    return undefined;
  }
}

function post(options: HttpEdgeOptions, edge: EdgeRequest, body: Uint8Array): Promise<void> {
  if (isBatch(body)) return postLegacyBatch(options, edge, body);
  let message: ClientMessage;
  try {
    message = readClientMessage(body);
  } catch (thrown) {
    return refuseUnread(options, edge, thrown);
  }
  return isModern(edge.request.headers, message)
    ? postModern(options, edge, message)
    : postLegacy(options, edge, message);
}

/** A message that cannot be read is refused; where it was an attempt nevertheless, that is recorded. */
async function refuseUnread(options: HttpEdgeOptions, edge: EdgeRequest, thrown: unknown): Promise<never> {
  if (thrown instanceof UnclearRequest) {
    const client = isModern(edge.request.headers, thrown)
      ? modernClient(thrown, edge.profile, edge.caller.name)
      : sessionOf(options, edge).client;
    await options.gateway.recordUnclear(client, thrown);
  }
  throw thrown;
}

/** A request of revision 2026-07-28 says so in its `_meta` or in its header; where they differ, that revision's rules refuse it. */
function isModern(headers: IncomingHttpHeaders, message: ClientMessage | UnclearRequest): boolean {
  const claimed = message.kind === 'response' ? undefined : claimedVersion(message.params);
  return isModernClaim(claimed) || isModernClaim(headers['mcp-protocol-version']);
}

function isModernClaim(version: unknown): boolean {
  return typeof version === 'string' && isModernVersion(version);
}

function isBatch(body: Uint8Array): boolean {
  let at = 0;
  while (at < body.length && (body[at] as number) <= 0x20) at += 1;
  return body[at] === 0x5b;
}

/** The body, which a plain post has. One that came with its head is there whole once the parser has gone on, and needs none of its events. */
async function readBody(request: IncomingMessage | PlainPost): Promise<Uint8Array> {
  const { 'content-type': type, 'content-length': declared } = request.headers;
  if (type !== 'application/json' && type?.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw new RpcFailure(RPC.invalidRequest, 'Content-Type must be application/json', { httpStatus: 415 });
  if ('body' in request) return request.body;
  const length = Number(declared ?? Number.NaN);
  if (length > PROXY_LIMITS.bodyBytesMax) throw tooLarge(request);
  await undefined;
  return request.readableLength === length ? (request.read() ?? NO_BODY) : collectBody(request);
}

const NO_BODY = Buffer.alloc(0);

/** Takes the body by its events: an async iterator costs several promises a request. */
function collectBody(request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const body = incomingBodies.begin(PROXY_LIMITS.bodyBytesMax, (error) => {
      request.off('data', take);
      leaveBody(request);
      reject(error);
    });
    const take = (chunk: Buffer) => {
      try {
        body.add(chunk);
      } catch (thrown) {
        request.off('data', take);
        reject(toBinderyError(thrown).code === 'PAYLOAD_TOO_LARGE' ? tooLarge(request) : thrown);
      }
    };
    request.on('data', take);
    request.on('end', () => resolve(body.end()));
    request.on('error', reject);
    request.on('close', () => body.drop());
  });
}

/** Discards the rest of the body, up to a limit, so that the client reads the refusal. */
function tooLarge(request: IncomingMessage): RpcFailure {
  let left = PROXY_LIMITS.discardedBytesMax;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
  return new RpcFailure(RPC.invalidRequest, 'The body is too large', { httpStatus: 413 });
}

/** Answers what never became a request: a JSON-RPC error, with the id where it is certain, with the HTTP status of its cause. */
function refuse(response: EdgeResponse, thrown: unknown, log: Log): void {
  if (response.headersSent || response.destroyed) return;
  if (!(thrown instanceof RpcFailure || thrown instanceof BinderyError))
    log.error('a request failed', { error: thrown });
  const { status, body } = describeFailure(thrown);
  const headers: Record<string, string | number> = {
    'content-type': 'application/json',
    'content-length': body.length,
  };
  const challenge = thrown instanceof RpcFailure ? thrown.challenge : undefined;
  if (challenge !== undefined || status === 401) headers['www-authenticate'] = challenge ?? 'Bearer';
  response.writeHead(status, headers).end(body);
}

function describeFailure(thrown: unknown): { status: number; body: Uint8Array } {
  if (thrown instanceof RpcFailure) {
    const status = thrown.httpStatus === 200 ? 400 : thrown.httpStatus;
    return { status, body: errorBytes(thrown.id ?? 'null', thrown.code, thrown.message, thrown.data) };
  }
  if (thrown instanceof BinderyError) {
    return {
      status: thrown.row.http,
      body: errorBytes('null', RPC.invalidRequest, thrown.row.title, { code: thrown.code }),
    };
  }
  if (isStoreFailure(thrown)) return describeFailure(toBinderyError(thrown));
  return { status: 500, body: errorBytes('null', RPC.internalError, 'Internal error') };
}
