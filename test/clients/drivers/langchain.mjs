import { MultiServerMCPClient } from '@langchain/mcp-adapters';

export async function open({ kind, url, command, args, env }) {
  let report;
  const client = new MultiServerMCPClient({
    mcpServers: {
      server:
        kind === 'stdio' ? { transport: 'stdio', command, args, env, stderr: 'ignore' } : { transport: kind, url },
    },
    onProgress: (progress) => report?.(progress),
  });
  const tools = await client.getTools('server');
  return {
    progress: true,
    tools: async () => tools.map(({ name }) => name),
    call: async (name, callArgs, onProgress) => {
      report = onProgress;
      const content = await tools.find((tool) => tool.name === name).invoke(callArgs ?? {});
      return { text: typeof content === 'string' ? content : JSON.stringify(content), failed: false };
    },
    resources: async () => (await client.listResources('server')).server,
    read: async (uri) => client.readResource('server', uri),
    close: () => client.close(),
  };
}
