import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { answerElicitation, answerRoots, answerSampling } from '../answers.mjs';
import { sdkAbilities } from './sdk-abilities.mjs';

/** `mode` is how it finds out a server's revision: auto, legacy or pinned to the newest. */
export async function open(target, { mode }, person) {
  const client = new Client(
    { name: 'sdk-2', version: '1.0.0' },
    { capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} }, versionNegotiation: { mode } },
  );
  const [logs, heard] = [[], []];
  client.setRequestHandler('sampling/createMessage', answerSampling);
  client.setRequestHandler('elicitation/create', ({ params }) => answerElicitation(params, person));
  client.setRequestHandler('roots/list', () => answerRoots(target.roots));
  client.setNotificationHandler('notifications/message', ({ params }) => logs.push(params));
  client.setNotificationHandler('notifications/tools/list_changed', () => heard.push('tools'));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => heard.push(params.uri));
  await client.connect(transportTo(target));
  const modern = client.getNegotiatedProtocolVersion() === '2026-07-28';
  const callTool = (params, options) => client.callTool(params, options);
  const extraParams = modern ? { _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } } : {};
  const listen = modern ? (filter) => client.listen(filter) : undefined;
  return sdkAbilities(client, { logs, heard, callTool, extraParams, listen });
}

function transportTo({ kind, url, command, args, env }) {
  if (kind === 'stdio') return new StdioClientTransport({ command, args, env, stderr: 'ignore' });
  return kind === 'sse' ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
}
