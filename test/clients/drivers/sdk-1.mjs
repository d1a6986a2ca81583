import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { answerElicitation, answerSampling } from '../answers.mjs';
import { sdkAbilities } from './sdk-abilities.mjs';

export async function open(target) {
  const client = new Client(
    { name: 'sdk-1', version: '1.0.0' },
    { capabilities: { sampling: {}, elicitation: { form: {} } } },
  );
  const logs = [];
  client.setRequestHandler(CreateMessageRequestSchema, answerSampling);
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerElicitation(params));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => logs.push(params));
  await client.connect(transportTo(target));
  return sdkAbilities(client, logs, (params, options) => client.callTool(params, undefined, options));
}

function transportTo({ kind, url, command, args, env }) {
  if (kind === 'stdio') return new StdioClientTransport({ command, args, env, stderr: 'ignore' });
  return kind === 'sse' ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
}
