import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * A minimal server of revision 2025-11-25, so that the gateway dominates the measurement. `echo` returns its text, `large`
 * returns 64 KiB, both as JSON; with `?sse` answers are event streams; `--stdio` uses lines.
 */
interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly text?: string } };
}

/** Long, because closing idle connections between rounds would fail calls that are just being sent. */
const KEEP_ALIVE_MS = 600_000;
const LARGE = 'x'.repeat(64 * 1024);
const TOOL_COUNT = Number(/^--tools=(\d+)$/.exec(process.argv.at(-1) ?? '')?.[1] ?? 2);
const NAMES = ['echo', 'large', ...Array.from({ length: TOOL_COUNT - 2 }, (_, index) => `tool_${index}`)];
const TOOLS = NAMES.map((name) => ({
  name,
  description: `The tool ${name} of a server that answers at once and does nothing else.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string', description: 'what is given back' } } },
}));

if (process.argv.includes('--stdio')) serveStdio();
else serveHttp();

function serveStdio(): void {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    if (message.id !== undefined) process.stdout.write(`${answerText(message)}\n`);
  });
}

function serveHttp(): void {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Message;
      if (message.id === undefined) {
        response.writeHead(202).end();
        return;
      }
      const body = answerText(message);
      if (request.url?.includes('sse')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`event: message\ndata: ${body}\n\n`);
      } else {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
        response.end(body);
      }
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
  });
}

function answerText(message: Message): string {
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer(message) });
}

function answer({ method, params }: Message): object {
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
