import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { UP_LIMITS } from '../limits.ts';
import { withoutConnection } from '../workers/pass-on.ts';

/** In which a node vouches for who calls. */
export const NODE_PASS_HEADER = 'x-bindery-node';

/** Headers that a client sent to this node, and that are none of another's business. */
const NOT_PASSED = new Set(['host', 'authorization', 'cookie', NODE_PASS_HEADER]);

export interface PassedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Uint8Array;
  /** Where the other node serves this path. */
  readonly url: URL;
  readonly pass: string;
}

/** Passes a client's request on to another node, and what that says back to the client; false where it cannot be reached. */
export function passToNode({ request, response, body, url, pass }: PassedRequest): Promise<boolean> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const headers = [
    ...withoutConnection(request.rawHeaders, NOT_PASSED),
    ...['host', url.host, 'content-length', String(body.length), NODE_PASS_HEADER, pass],
  ];
  return new Promise((settle) => {
    const passed = send(url, { method: 'POST', headers });
    const unanswered = setTimeout(() => passed.destroy(), UP_LIMITS.nodeConnectTimeoutMs);
    passed.on('socket', (socket) => {
      const connected = () => clearTimeout(unanswered);
      if (socket.connecting) socket.once('connect', connected);
      else connected();
    });
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.rawHeaders, NONE, 'content-length'));
      answer.pipe(response);
      answer.on('error', () => response.destroy());
      response.on('close', () => settle(true));
    });
    passed.on('error', () => {
      clearTimeout(unanswered);
      if (response.headersSent) response.destroy();
      settle(response.headersSent);
    });
    // A client that leaves takes its request with it.
    response.on('close', () => {
      if (!response.writableFinished) passed.destroy();
    });
    passed.end(body);
  });
}

const NONE: ReadonlySet<string> = new Set();
