/** What both generations of the SDK's client can do, under the names that the probes use. */
export function sdkAbilities(client, logs, callTool, extraParams = {}) {
  const capabilities = client.getServerCapabilities() ?? {};
  const outcome = ({ content = [], isError }) => ({
    text: content.map((part) => part.text ?? '').join('\n'),
    failed: isError === true,
  });
  return {
    progress: true,
    elicits: true,
    samples: true,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, onprogress) =>
      outcome(await callTool({ name, arguments: args, ...extraParams }, onprogress ? { onprogress } : {})),
    resources: async () => (await client.listResources()).resources,
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
    complete: async (ref, argument) => (await client.complete({ ref, argument })).completion.values,
    ...(capabilities.logging && {
      logsDuring: async (act) => {
        if (Object.keys(extraParams).length === 0) await client.setLoggingLevel('debug');
        const before = logs.length;
        await act();
        await new Promise((resolve) => setTimeout(resolve, 300));
        return logs.slice(before);
      },
    }),
    close: () => client.close(),
  };
}
