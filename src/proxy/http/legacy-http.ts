import { LEGACY_VERSIONS, RPC } from '../../wire/revisions.ts';
import { retryWhileBusy } from '../approvals/retry-while-busy.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { followChanges } from '../lists/follow-changes.ts';
import { errorBytes, failureBytes, idText, RpcFailure } from '../message/answers.ts';
import type { ClientMessage, ClientRequest } from '../message/client.ts';
import { initializeAnswer, initializingClient } from '../message/declared-client.ts';
import type { Session } from '../sessions/session-table.ts';
import { INPUT_ENDED, leavingOf, originOf } from './edge-exchange.ts';
import { type EdgeRequest, type HttpEdgeOptions, isPassable } from './edge-request.ts';
import { EventStream } from './event-stream.ts';
import { Reply, UnreadAnswer } from './reply.ts';

/** One message of a 2025 client: `initialize` begins a session; every other message belongs to one. */
export async function postLegacy(options: HttpEdgeOptions, edge: EdgeRequest, message: ClientMessage): Promise<void> {
  if (message.kind === 'request' && message.method === 'initialize') return initialize(options, edge, message);
  const session = sessionOf(options, edge);
  if (message.kind !== 'request') {
    await receive(options, session, message);
    edge.response.writeHead(202).end();
    return;
  }
  if (options.nodes && isPassable(edge) && (await options.nodes.passOn(edge, session.client, message))) return;
  const unread = new UnreadAnswer(options.gateway.ports, session.client, message);
  const reply = new Reply(edge.response, acceptsStream(edge), unread.record);
  const answer = await answerRequest(options, session, message, { reply, edge, unread });
  if (answer) reply.finish(answer);
  else reply.drop();
}

/** GET: a stream for servers' notifications and changed lists. */
export function openStream(options: HttpEdgeOptions, edge: EdgeRequest): void {
  if (edge.request.headers['mcp-session-id'] === undefined) {
    edge.response.setHeader('allow', 'POST');
    throw new RpcFailure(RPC.invalidRequest, 'A stream belongs to a session', { httpStatus: 405 });
  }
  const session = sessionOf(options, edge);
  if (!acceptsStream(edge))
    throw new RpcFailure(RPC.invalidRequest, 'Accept must allow text/event-stream', { httpStatus: 406 });
  const [oldest] = session.streams;
  if (oldest && session.streams.size >= PROXY_LIMITS.streamsPerSessionMax) {
    session.streams.delete(oldest);
    oldest.end();
  }
  const stream = new EventStream(edge.response);
  const stop = followChanges(options, session.client, stream);
  session.streams.add(stream);
  stream.onClose(() => {
    session.streams.delete(stream);
    stop();
    leaveWithoutStreams(options, session);
  });
}

export async function deleteSession(options: HttpEdgeOptions, edge: EdgeRequest): Promise<void> {
  const session = sessionOf(options, edge);
  // End it at the other nodes first: a session that ended only here would stay alive there.
  if (options.nodes) await options.nodes.end(session);
  await retryWhileBusy(() => options.sessions.end(session));
  edge.response.writeHead(204).end();
}

async function initialize(options: HttpEdgeOptions, edge: EdgeRequest, request: ClientRequest): Promise<void> {
  if (typeof request.params?.protocolVersion !== 'string')
    throw new RpcFailure(RPC.invalidParams, 'protocolVersion must be a string', { httpStatus: 400 });
  const client = { ...initializingClient(request), profile: edge.profile, caller: edge.caller.name };
  const { id, session } = await retryWhileBusy(() => options.sessions.begin(client));
  if (options.nodes) await options.nodes.begun(session);
  const reply = new Reply(edge.response, false);
  reply.setHeader('mcp-session-id', id);
  const offered = await options.gateway.views.introduction(session.client, AbortSignal.timeout(60_000));
  reply.finish(initializeAnswer(request, client, offered));
}

/** The way of an answer to its client. */
interface Answering {
  readonly reply: Reply;
  readonly edge: EdgeRequest;
  readonly unread?: UnreadAnswer;
}

/** The answer to a request of a session; undefined if the client cancelled it. */
export async function answerRequest(
  options: HttpEdgeOptions,
  session: Session,
  request: ClientRequest,
  { reply, edge, unread }: Answering,
): Promise<Uint8Array | undefined> {
  // A 2025 client that loses its connection has not cancelled: only `notifications/cancelled` ends a call that was sent.
  const running = session.running.begin(request.id);
  const left = leavingOf(edge.response, session.left);
  try {
    const answer = await options.gateway.handle(session.client, request, {
      signal: running,
      left,
      send: (message) => reply.send(message),
      ask: (method, params, until) => {
        // After its stream is closed a question gets no answer: withdraw it, so that the server continues and its process is free again.
        const signals = [until, left()];
        if (reply.canStream) return session.questions.ask(method, params, (bytes) => reply.send(bytes), signals);
        return Promise.reject(
          new RpcFailure(
            RPC.methodNotFound,
            'The client does not accept text/event-stream, so the server cannot ask it anything',
          ),
        );
      },
      origin: () => originOf(edge.request),
      setHeader: (name, value) => reply.setHeader(name, value),
      ...(unread ? { noteCall: unread.noteCall } : {}),
    });
    return running.aborted ? undefined : answer;
  } catch (thrown) {
    if (running.aborted) return undefined;
    if (thrown instanceof RpcFailure) return failureBytes(request, thrown);
    options.log.error('a request failed', { method: request.method, error: thrown });
    return errorBytes(idText(request), RPC.internalError, 'Internal error');
  } finally {
    session.running.end(request.id, running);
    if (edge.response.destroyed) leaveWithoutStreams(options, session);
  }
}

/** A client without open streams may be gone: its connections are the first to be evicted. */
function leaveWithoutStreams({ gateway }: HttpEdgeOptions, { streams, client }: Session): void {
  if (streams.size === 0) gateway.ports.connections.left(client.key);
}

/** Handles a response or notification. Returns a promise if another node has to be notified. */
export function receive(
  options: HttpEdgeOptions,
  { claims, questions, running, left }: Session,
  message: Exclude<ClientMessage, ClientRequest>,
): Promise<undefined> | undefined {
  if (message.kind === 'response')
    return questions.answer(message) ? undefined : options.nodes?.answer(claims.s, message);
  if (message.method === INPUT_ENDED) left.abort(new Error('the input of the client has ended'));
  if (message.method !== 'notifications/cancelled') return undefined;
  const requestId = message.params?.requestId;
  const isHere = running.cancel(requestId);
  options.onCancelled?.(claims.s, requestId);
  return isHere ? undefined : options.nodes?.cancel(claims.s, requestId);
}

/** The session that a request names. Throws an `RpcFailure` if there is none. */
export function sessionOf(options: HttpEdgeOptions, { request, profile, caller }: EdgeRequest): Session {
  const id = request.headers['mcp-session-id'];
  if (typeof id !== 'string')
    throw new RpcFailure(RPC.invalidRequest, 'Mcp-Session-Id is missing: initialize first', { httpStatus: 400 });
  const session = options.sessions.find(id, profile, caller.name);
  if (!session) throw new RpcFailure(RPC.invalidRequest, 'Session not found: initialize again', { httpStatus: 404 });
  const version = request.headers['mcp-protocol-version'];
  if (version !== undefined && !LEGACY_VERSIONS.some((known) => known === version)) {
    throw new RpcFailure(RPC.invalidRequest, 'MCP-Protocol-Version is not supported', { httpStatus: 400 });
  }
  return session;
}

function acceptsStream({ request }: EdgeRequest): boolean {
  const accept = request.headers.accept ?? '';
  return accept.includes('text/event-stream') || accept.includes('*/*');
}
