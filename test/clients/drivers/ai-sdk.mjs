import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { answerElicitation } from '../answers.mjs';

export async function open({ kind, url, command, args, env }, _options, person) {
  const transport =
    kind === 'stdio' ? new StdioTransport({ command, args, env, stderr: 'ignore' }) : { type: kind, url };
  const client = await createMCPClient({ transport, capabilities: { elicitation: {} } });
  client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => answerElicitation(params, person));
  return {
    elicits: true,
    keepsConnection: true,
    tools: async () => Object.keys(await client.tools()),
    call: async (name, callArgs) => {
      const { content, isError } = await client.callTool({ name, arguments: callArgs });
      return { text: content.map((part) => part.text ?? '').join('\n'), failed: isError === true };
    },
    resources: async () => (await client.listResources()).resources,
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, promptArgs) => (await client.getPrompt({ name, arguments: promptArgs })).messages,
    complete: async (ref, argument) => (await client.complete({ ref, argument })).completion.values,
    close: () => client.close(),
  };
}
