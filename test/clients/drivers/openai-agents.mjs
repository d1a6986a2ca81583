import { MCPServerSSE, MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';

export async function open({ kind, url, command, args, env }) {
  const server =
    kind === 'stdio'
      ? new MCPServerStdio({ command, args, env })
      : kind === 'sse'
        ? new MCPServerSSE({ url })
        : new MCPServerStreamableHttp({ url });
  await server.connect();
  return {
    tools: async () => (await server.listTools()).map(({ name }) => name),
    call: async (name, callArgs) => {
      const { content, isError } = await server.callToolResult(name, callArgs ?? {});
      return { text: content.map((part) => part.text ?? '').join('\n'), failed: isError === true };
    },
    resources: async () => (await server.listResources()).resources,
    read: async (uri) => (await server.readResource(uri)).contents,
    close: () => server.close(),
  };
}
