import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { answerElicitation, answerRoots, answerSampling } from '../answers.mjs';
import { sdkAbilities } from './sdk-abilities.mjs';

export async function open(target, _options, person) {
  const client = new Client(
    { name: 'sdk-1', version: '1.0.0' },
    { capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} } },
  );
  const [logs, heard] = [[], []];
  client.setRequestHandler(CreateMessageRequestSchema, answerSampling);
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerElicitation(params, person));
  client.setRequestHandler(ListRootsRequestSchema, () => answerRoots(target.roots));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => logs.push(params));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => heard.push('tools'));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => heard.push(params.uri));
  await client.connect(transportTo(target));
  const callTool = (params, options) => client.callTool(params, undefined, options);
  return sdkAbilities(client, { logs, heard, callTool });
}

function transportTo({ kind, url, command, args, env }) {
  if (kind === 'stdio') return new StdioClientTransport({ command, args, env, stderr: 'ignore' });
  return kind === 'sse' ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
}
