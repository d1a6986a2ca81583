import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { BinderyError } from '../contract/errors.ts';
import { collectStream } from '../contract/incoming-bodies.ts';
import { createMcpServer, type McpServerOptions } from './server.ts';

export interface StatelessEndpointOptions extends Omit<McpServerOptions, 'peerAddress'> {
  readonly bodyBytesMax: number;
}

export type StatelessEndpoint = (request: Request, peerAddress: string | undefined) => Promise<Response>;

/**
 * Operations → an MCP endpoint without sessions: each POST is answered independently with one JSON body, in either revision of the
 * protocol.
 */
export function createStatelessEndpoint(options: StatelessEndpointOptions): StatelessEndpoint {
  const peers = new WeakMap<Request, string>();
  const newServer = () => createMcpServer({ ...options, peerAddress: (request) => peers.get(request) });
  const onerror = (error: Error) => options.log.warn('mcp request refused', { error: error.message });
  const modern = createMcpHandler(newServer, { legacy: 'reject', onerror });

  return async (request, peerAddress) => {
    if (request.method !== 'POST') return rpcError(405, -32000, 'Method not allowed.', { allow: 'POST' });
    if (!isJsonContentType(request.headers.get('content-type'))) {
      return rpcError(415, -32000, 'Unsupported Media Type: Content-Type must be application/json');
    }
    let parsedBody: unknown;
    try {
      parsedBody = JSON.parse(await readBounded(request, options.bodyBytesMax));
    } catch (thrown) {
      if (!(thrown instanceof BinderyError)) return rpcError(400, -32700, 'Parse error');
      return rpcError(thrown.row.http, -32000, thrown.row.title);
    }
    // The answer is always JSON, so clients that accept only JSON are served, too.
    const headers = new Headers(request.headers);
    headers.set('accept', 'application/json, text/event-stream');
    const seen = new Request(request.url, { method: 'POST', headers, signal: request.signal });
    if (peerAddress !== undefined) peers.set(seen, peerAddress);
    const isLegacy = await isLegacyRequest(seen, parsedBody);
    const response = await (isLegacy ? serveLegacy(seen, parsedBody, newServer) : modern.fetch(seen, { parsedBody }));
    response.headers.set('cache-control', 'no-store');
    return response;
  };
}

async function serveLegacy(
  request: Request,
  parsedBody: unknown,
  newServer: () => ReturnType<typeof createMcpServer>,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = newServer();
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}

async function readBounded(request: Request, bytesMax: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw new BinderyError('PAYLOAD_TOO_LARGE');
  return new TextDecoder().decode(await collectStream(request.body, bytesMax));
}

function rpcError(status: number, code: number, message: string, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });
}
