import type { RunningBindery } from '../support/running-bindery.ts';

const VERSION = '2025-11-25';

/** Calls a tool as a client without a session would; gives the result, or the error. */
export async function callTool(
  { mcpUrl }: RunningBindery,
  name: string,
  args: object,
  clientInfo = { name: 'test-agent', version: '1.0.0' },
  { key, signal }: { readonly key?: string; readonly signal?: AbortSignal } = {},
): Promise<object> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const send = (body: object) =>
    fetch(mcpUrl, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      ...(signal ? { signal } : {}),
    });
  const opened = await send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: VERSION, capabilities: {}, clientInfo },
  });
  await opened.text();
  const session = opened.headers.get('mcp-session-id');
  if (session) headers['mcp-session-id'] = session;
  await (await send({ method: 'notifications/initialized' })).text();
  const text = await (await send({ id: 2, method: 'tools/call', params: { name, arguments: args } })).text();
  const lines = text.startsWith('{')
    ? [text]
    : text.split('\n').flatMap((line) => /^data: ?(\{.*)$/.exec(line)?.[1] ?? []);
  const answer = lines
    .map((line) => JSON.parse(line) as { id?: number; result?: object; error?: object })
    .find(({ id }) => id === 2);
  return answer?.result ?? answer?.error ?? {};
}
