const NOTICE_TIMEOUT_MS = 10_000;

/**
 * What both generations of the SDK's client can do, under the names that the probes use. `listen` opens a subscription where the
 * revision has them; `heard` takes the lists and resources that changed.
 */
export function sdkAbilities(client, { logs, heard, callTool, extraParams = {}, listen }) {
  const capabilities = client.getServerCapabilities() ?? {};
  const outcome = ({ content = [], isError }) => ({
    text: content.map((part) => part.text ?? '').join('\n'),
    failed: isError === true,
  });
  return {
    progress: true,
    elicits: true,
    samples: true,
    opensFolders: true,
    keepsConnection: true,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, onprogress) =>
      outcome(await callTool({ name, arguments: args, ...extraParams }, onprogress ? { onprogress } : {})),
    resources: async () => (await client.listResources()).resources,
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
    complete: async (ref, argument) => (await client.complete({ ref, argument })).completion.values,
    /** Gives a call up as soon as it reports progress. */
    cancel: async (name, args) => {
      const stop = new AbortController();
      const options = { signal: stop.signal, onprogress: () => stop.abort('given up') };
      const outcome = await callTool({ name, arguments: args, ...extraParams }, options).catch(() => 'cancelled');
      if (outcome !== 'cancelled') throw new Error('the call went on');
    },
    /** The tools after something has happened that changes them, and was told. */
    toolsAfter: async (act) => {
      const subscription = await listen?.({ toolsListChanged: true });
      const before = heard.filter((what) => what === 'tools').length;
      await act();
      await until(() => heard.filter((what) => what === 'tools').length > before, 'no change of the tools was told');
      await subscription?.close();
      return (await client.listTools()).tools.map(({ name }) => name);
    },
    /** Resolves when it was told that a resource changed by what happens. */
    updatedAfter: async (uri, act) => {
      const subscription = await listen?.({ resourceSubscriptions: [uri] });
      if (!listen) await client.subscribeResource({ uri });
      await act();
      await until(() => heard.includes(uri), 'no update of the resource was told');
      await subscription?.close();
    },
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

async function until(holds, otherwise) {
  for (let waitedMs = 0; waitedMs < NOTICE_TIMEOUT_MS; waitedMs += 50) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(otherwise);
}
