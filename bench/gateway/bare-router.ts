import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';

/**
 * A router without any features, as a baseline: it decodes a call, sends it to the server in the prefix of the tool's name, and
 * decodes and encodes the answer again; it forwards event streams unchanged. No sessions, no lists, no errors of its own.
 * Arguments: `name=url`.
 */
const upstreams = new Map<string, string>();
for (const argument of process.argv.slice(2)) {
  const at = argument.indexOf('=');
  upstreams.set(argument.slice(0, at), argument.slice(at + 1));
}
const dispatcher = new Agent({ connections: 64, pipelining: 1 });
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const http = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => route(Buffer.concat(chunks).toString('utf8'), outgoing));
});
http.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` })}\n`);
});

async function route(text: string, outgoing: ServerResponse): Promise<void> {
  const call = JSON.parse(text) as { params: { name: string } };
  const at = call.params.name.indexOf('__');
  const url = upstreams.get(call.params.name.slice(0, at));
  if (url === undefined) throw new Error(`no server of ${call.params.name}`);
  call.params.name = call.params.name.slice(at + 2);
  const answer = await request(url, { method: 'POST', dispatcher, headers, body: JSON.stringify(call) });
  const type = String(answer.headers['content-type']);
  const given = await answer.body.text();
  const body = type.startsWith('application/json') ? JSON.stringify(JSON.parse(given)) : given;
  outgoing.writeHead(answer.statusCode, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}
