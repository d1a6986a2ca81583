import { BinderyError, isStoreFailure, toBinderyError } from '../../contract/errors.ts';
import { RPC } from '../../wire/revisions.ts';
import { errorBytes, RpcFailure } from '../message/answers.ts';
import type { ClientMessage, ClientRequest } from '../message/client.ts';
import { AmbiguousRequest, readClientMessage } from '../message/client-message.ts';
import { claimedVersion, isModernClaim, modernClient } from '../message/declared-client.ts';
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
import { postLegacyBatch } from './legacy-batch.ts';
import { deleteSession, openStream, postLegacy, sessionOf } from './legacy-http.ts';
import { postModern } from './modern-http.ts';
import { inBudget, readBody } from './request-body.ts';

/**
 * Serves `/mcp`. This is the hot path: no framework between it and the socket. Plain posts are always served here, so a process that
 * forwards requests must not read any.
 */
export function createHttpEdge(options: HttpEdgeOptions): HttpEdge {
  return async (request, response, profile) => {
    try {
      const named = admit(options, request, profile);
      const caller = named instanceof Promise ? await named : named;
      checkProfile(options, caller, profile);
      if (options.nodes) await options.nodes.load(request.headers['mcp-session-id']);
      const edge = { request, response, profile, caller };
      const serve = async () =>
        request.method === 'POST' && !options.relay
          ? post(options, edge, await readBody(request))
          : serveOther(options, edge);
      await (request.method === 'POST' ? inBudget(request, edge, serve) : serve());
      if (caller.until !== undefined && !response.writableEnded) endWhenExpired(response, caller.until, caller.over);
    } catch (thrown) {
      refuse(options, response, thrown);
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

/** Serves in a worker the calls that every process serves alike. The primary serves everything else, including refusals. */
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
    // The primary answers with the error.
    return undefined;
  }
}

function post(options: HttpEdgeOptions, edge: EdgeRequest, body: Uint8Array): Promise<void> {
  if (isBatch(body)) return postLegacyBatch(options, edge, body);
  let message: ClientMessage;
  try {
    message = readClientMessage(body);
  } catch (thrown) {
    return refuseUnreadable(options, edge, thrown);
  }
  return isModern(edge.request.headers, message)
    ? postModern(options, edge, message)
    : postLegacy(options, edge, message);
}

/** Refuses an unreadable message, and records it if it was an attempted call, read or prompt. */
async function refuseUnreadable(options: HttpEdgeOptions, edge: EdgeRequest, thrown: unknown): Promise<never> {
  if (thrown instanceof AmbiguousRequest) {
    const client = isModern(edge.request.headers, thrown)
      ? modernClient(thrown, edge.profile, edge.caller.name)
      : sessionOf(options, edge).client;
    await options.gateway.recordAmbiguous(client, thrown);
  }
  throw thrown;
}

/** Whether `_meta` or the header claims revision 2026-07-28. If they disagree, the rules of that revision refuse the request. */
function isModern(headers: EdgeHead['headers'], message: ClientMessage | AmbiguousRequest): boolean {
  const claimed = message.kind === 'response' ? undefined : claimedVersion(message.params);
  return isModernClaim(claimed) || isModernClaim(headers['mcp-protocol-version']);
}

function isBatch(body: Uint8Array): boolean {
  let at = 0;
  while (at < body.length && (body[at] as number) <= 0x20) at += 1;
  return body[at] === 0x5b;
}

/**
 * Answers a message that could not be read as a request: a JSON-RPC error with a matching HTTP status, and with the id if it is
 * certain.
 */
function refuse({ log }: HttpEdgeOptions, response: EdgeResponse, thrown: unknown): void {
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
