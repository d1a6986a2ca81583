import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly mark: string; readonly length: number } };
}

/** A server whose tool `repeat` answers with plain JSON of a known length: a mark, repeated as often as requested. */
export async function startRepeatingServer() {
  const server = createServer(async (incoming, response) => {
    if (incoming.method !== 'POST') return void response.writeHead(405).end();
    const message = (await json(incoming)) as Message;
    if (message.id === undefined) return void response.writeHead(202).end();
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) });
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

function resultOf({ method, params }: Message): object {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'repeating', version: '1' },
    };
  if (method === 'tools/list') return { tools: [{ name: 'repeat', inputSchema: { type: 'object' } }] };
  const { mark = '', length = 0 } = params?.arguments ?? {};
  return repeated(mark, length);
}

/** The answer to a call. */
export function repeated(mark: string, length: number): object {
  const text = mark.repeat(Math.ceil(length / mark.length)).slice(0, length);
  return { content: [{ type: 'text', text }] };
}
