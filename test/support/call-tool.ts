/** A call of a tool as a client of revision 2026-07-28 sends it; rejects where no whole answer comes. */
export async function callTool(
  url: string,
  name: string,
  args: object,
  more: { readonly headers?: Record<string, string>; readonly capabilities?: object; readonly params?: object } = {},
  // biome-ignore lint/suspicious/noExplicitAny: a raw answer, looked at by its members.
): Promise<any> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...callHeaders(name), ...more.headers },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: args,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': more.capabilities ?? {},
          'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        },
        ...more.params,
      },
    }),
  });
  const text = await response.text();
  const data = /^data: (.*)$/gm;
  return JSON.parse(
    response.headers.get('content-type')?.startsWith('text/event-stream')
      ? ([...text.matchAll(data)].at(-1)?.[1] ?? '')
      : text,
  );
}

/** The headers that such a call has. */
export function callHeaders(name: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  };
}

/** Calls until the gateway has discovered the tool. */
export async function untilListed(url: string, name: string, args: object): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const answer = await callTool(url, name, args);
    if (answer.result && answer.result._meta?.['bindery/error']?.code !== 'SERVER_UNAVAILABLE') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} was not discovered`);
}
