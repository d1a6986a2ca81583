import { isObject } from '../../contract/json.ts';
import { scanEnvelope } from '../../wire/messages.ts';
import {
  decodeHeaderValue,
  encodeHeaderValue,
  mirroredName,
  paramHeaders,
  scanHeaderDeclarations,
} from '../../wire/param-headers.ts';
import { RPC } from '../../wire/revisions.ts';
import { listen } from '../lists/listen.ts';
import { failureBytes, methodNotFound, RpcFailure } from '../message/answers.ts';
import type { Client, ClientMessage, ClientRequest } from '../message/client.ts';
import { claimedVersion, modernClient } from '../message/declared-client.ts';
import { type EdgeHead, INPUT_ENDED, originOf, whenClosed } from './edge-exchange.ts';
import { type EdgeRequest, type HttpEdgeOptions, isPassable } from './edge-request.ts';
import { Reply, UnreadAnswer } from './reply.ts';

/** One message of a 2026 client. Each request is independent and names its client. */
export async function postModern(options: HttpEdgeOptions, edge: EdgeRequest, message: ClientMessage): Promise<void> {
  if (message.kind === 'response')
    throw new RpcFailure(RPC.invalidRequest, 'Responses are not accepted by this revision', { httpStatus: 400 });
  const { leaving } = options.sessions;
  if (message.kind === 'notification') {
    if (message.method === INPUT_ENDED) leaving.leave(edge.request, edge.caller.name);
    edge.response.writeHead(202).end();
    return;
  }
  let unread: UnreadAnswer | undefined;
  const reply = new Reply(edge.response, true, (reason) => unread?.record(reason));
  const leavable = leaving.begin(edge.request, edge.caller.name);
  try {
    const { headers } = edge.request;
    const version = claimedVersion(message.params);
    if (typeof version === 'string') expectHeader('MCP-Protocol-Version', headers['mcp-protocol-version'], version);
    const client = modernClient(message, edge.profile, edge.caller.name);
    try {
      checkHeaders(options, client, edge.request, message);
    } catch (thrown) {
      await options.gateway.recordAmbiguous(client, message);
      throw thrown;
    }
    if (options.nodes && isPassable(edge) && (await options.nodes.passOn(edge, client, message))) return;
    // A 2026 client cancels by closing the stream.
    const gone = new AbortController();
    whenClosed(edge.response, () => {
      if (!edge.response.writableEnded) {
        gone.abort(new Error('the client closed the stream'));
        leavable?.left.abort(new Error('the client left'));
      }
    });
    if (message.method === 'subscriptions/listen') return listen(options, client, message, edge.response);
    unread = new UnreadAnswer(options.gateway.ports, client, message);
    const answer = await options.gateway.handle(client, message, {
      noteCall: unread.noteCall,
      signal: gone.signal,
      left: () => leavable?.left ?? gone.signal,
      send: (bytes) => reply.send(bytes),
      ask: (method) => Promise.reject(methodNotFound(method)),
      origin: () => originOf(edge.request),
      setHeader: (name, value) => reply.setHeader(name, value),
    });
    reply.finish(answer, statusOf(answer));
  } catch (thrown) {
    if (edge.response.destroyed) return;
    if (!(thrown instanceof RpcFailure)) throw thrown;
    reply.finish(failureBytes(message, thrown), thrown.httpStatus);
  } finally {
    leavable?.end();
  }
}

/** Headers and body must agree, because proxies route by the headers. */
function checkHeaders(options: HttpEdgeOptions, client: Client, { headers }: EdgeHead, message: ClientRequest): void {
  expectHeader('Mcp-Method', headers['mcp-method'], message.method);
  const name = mirroredName(message.method, message.params);
  if (name !== undefined) expectHeader('Mcp-Name', headers['mcp-name'], name);
  if (message.method !== 'tools/call' || name === undefined) return;
  const entry = options.gateway.views.viewFor(client).tool(name);
  const scan = scanHeaderDeclarations(entry?.offered.definition.inputSchema);
  if (!scan.valid) return;
  const args = isObject(message.params?.arguments) ? message.params.arguments : undefined;
  for (const [header, value] of Object.entries(paramHeaders(scan.declarations, args))) {
    const decoded = decodeHeaderValue(value) as string;
    expectHeader(header, headers[header.toLowerCase()], decoded);
  }
}

function expectHeader(name: string, given: string | string[] | undefined, expected: string): void {
  const value = typeof given === 'string' ? decodeHeaderValue(given.trim()) : undefined;
  if (value === expected) return;
  throw new RpcFailure(RPC.headerMismatch, `Header mismatch: ${name} must be ${encodeHeaderValue(expected)}`, {
    data: { mismatch: { header: name, body: expected } },
    httpStatus: 400,
  });
}

/** A missing capability has its own HTTP status. */
function statusOf(answer: Uint8Array): number {
  const head = Buffer.from(answer.buffer, answer.byteOffset, Math.min(answer.length, 512));
  const told = head.includes(`"code":${RPC.missingClientCapability}`) && scanEnvelope(answer)?.kind === 'error';
  return told ? 400 : 200;
}
