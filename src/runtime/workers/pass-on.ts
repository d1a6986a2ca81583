import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { PEER_HEADER } from '../../proxy/http/edge-exchange.ts';

/** Headers that belong to one connection, not to the request. */
const CONNECTION_HEADERS = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'expect',
  'upgrade',
]);

/** Headers that only a worker may set. */
const WORKER_HEADERS: ReadonlySet<string> = new Set([PEER_HEADER]);

/** Forwards requests unchanged to the primary over its Unix socket. */
export function passOn(socketPath: string) {
  const agent = new Agent({ keepAlive: true });
  return (request: IncomingMessage, response: ServerResponse, body?: Uint8Array): void => {
    const passed = httpRequest({
      socketPath,
      agent,
      path: request.url,
      method: request.method,
      setHost: false,
      headers: [
        ...withoutConnection(request.rawHeaders),
        ...bodyHeaders(request, body),
        PEER_HEADER,
        request.socket.remoteAddress ?? '',
      ],
    });
    passed.on('response', (answer) => {
      response.writeHead(
        answer.statusCode ?? 502,
        withoutConnection(answer.rawHeaders, WORKER_HEADERS, 'content-length'),
      );
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    passed.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(503, { 'retry-after': '1' }).end();
    });
    // If the client disconnects, cancel the forwarded request.
    response.on('close', () => {
      if (!response.writableFinished) passed.destroy();
    });
    if (body) passed.end(body);
    else request.pipe(passed);
  };
}

/**
 * The length of the body, or that it is chunked. Without either, the body would be parsed as the next request on the same connection,
 * and its answer would go to another client (request smuggling).
 */
function bodyHeaders({ headers }: IncomingMessage, body: Uint8Array | undefined): string[] {
  const length = body?.length ?? headers['content-length'];
  if (length !== undefined) return ['content-length', String(length)];
  return headers['transfer-encoding'] === undefined ? [] : ['transfer-encoding', 'chunked'];
}

/** The raw headers, without those of the connection (except `kept`) and those in `without`. */
export function withoutConnection(
  raw: readonly string[],
  without: ReadonlySet<string> = WORKER_HEADERS,
  kept?: string,
): string[] {
  const headers: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name, value] = [raw[index] as string, raw[index + 1] as string];
    const lower = name.toLowerCase();
    if (!without.has(lower) && (lower === kept || !CONNECTION_HEADERS.has(lower))) headers.push(name, value);
  }
  return headers;
}
