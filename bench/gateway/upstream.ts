import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A server of revision 2025-11-25 as cheap as one can be: what is measured before it is the gateway. `echo` gives its text
 * back, `large` gives 64 KiB, both as JSON; with `?sse` answers come as an event stream.
 */
const LARGE = 'x'.repeat(64 * 1024);
const TOOLS = ['echo', 'large'].map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}));

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      id?: number;
      method: string;
      params?: { name?: string; arguments?: { text?: string } };
    };
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer(message) });
    if (request.url?.includes('sse')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`event: message\ndata: ${body}\n\n`);
    } else {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
      response.end(body);
    }
  });
});

function answer({
  method,
  params,
}: {
  method: string;
  params?: { name?: string; arguments?: { text?: string } };
}): object {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'upstream', version: '1' },
        },
      };
    case 'tools/list':
      return { result: { tools: TOOLS } };
    case 'tools/call':
      return {
        result: {
          content: [{ type: 'text', text: params?.name === 'large' ? LARGE : (params?.arguments?.text ?? '') }],
        },
      };
    case 'ping':
      return { result: {} };
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` })}\n`,
  );
});
