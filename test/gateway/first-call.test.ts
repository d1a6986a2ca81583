import { afterEach, expect, test } from 'vitest';
import { HttpFixture, legacyHttp, type Reply } from '../fixtures/servers/http-server.ts';
import { openSession, requestModern } from '../support/raw-client.ts';
import { createHome, startBindery, until } from '../support/running-bindery.ts';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

/** A server that answers nothing until it is let go, and a gateway that has never seen it. */
async function startUnseen() {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const answer = legacyHttp((reply: Reply) => {
    const { message } = reply.seen;
    const capabilities = { tools: {}, resources: {}, prompts: {} };
    const serverInfo = { name: 'late', version: '1' };
    if (message?.method === 'initialize') reply.result({ ...message.params, capabilities, serverInfo });
    else if (message?.method === 'prompts/list') reply.result({ prompts: [{ name: 'greet' }] });
    else if (message?.method === 'prompts/get') reply.result({ messages: [] });
    else if (message?.method === 'resources/read') reply.result({ contents: [] });
    else return false;
    return true;
  });
  const server = await new HttpFixture((reply) => {
    if (isOpen) answer(reply);
    else waiting.push(() => answer(reply));
  }).listen();
  ending.push(() => server.close());
  const home = await createHome({
    version: 1,
    mcp: {
      servers: {
        late: { transport: 'http', url: server.url },
        gone: { transport: 'http', url: 'http://127.0.0.1:9/mcp' },
      },
    },
  });
  ending.push(() => home.remove());
  const bindery = await startBindery(home);
  ending.push(() => bindery.stop('SIGKILL'));
  return {
    bindery,
    letGo: async () => {
      await until('the server was asked', () => waiting.length > 0);
      isOpen = true;
      for (const reply of waiting.splice(0)) reply();
    },
  };
}

test('the first calls after a first start wait for the lists of their server [gateway:F4]', async () => {
  const { bindery, letGo } = await startUnseen();
  const session = await openSession(bindery.mcpUrl);
  const answers = [
    session.request('tools/call', { name: 'late__echo', arguments: { text: 'direct' } }),
    session.request('tools/call', {
      name: 'call_tool',
      arguments: { name: 'late__echo', arguments: { text: 'inner' } },
    }),
    session.request('prompts/get', { name: 'late__greet' }),
    session.request('resources/read', { uri: 'bindery://late/note%3A%2F%2F1' }),
    requestModern(bindery.mcpUrl, 'tools/call', { name: 'late__echo', arguments: { text: 'modern' } }),
  ];
  await letGo();
  const text = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;
  const [direct, inner, prompt, read, modern] = await Promise.all(answers);
  expect([text(direct?.result), text(inner?.result), prompt?.result, read?.result, text(modern?.result)]).toEqual([
    '{"text":"direct"}',
    '{"text":"inner"}',
    { messages: [] },
    { contents: [] },
    '{"text":"modern"}',
  ]);
});

test('a call that is cancelled while it waits is given up, and a name of no server waits for none', async () => {
  const { bindery } = await startUnseen();
  const session = await openSession(bindery.mcpUrl);
  const leaving = new AbortController();
  const cancelled = requestModern(
    bindery.mcpUrl,
    'tools/call',
    { name: 'late__echo', arguments: {} },
    { signal: leaving.signal },
  );
  const unknown = await session.request('tools/call', { name: 'nobody__echo', arguments: {} });
  expect(unknown.error).toMatchObject({ code: -32602, message: 'Unknown tool: nobody__echo' });
  leaving.abort();
  await expect(cancelled).rejects.toThrow();
  const names = async () => {
    const { body } = await bindery.api('GET', '/v1/audit');
    return (body as { items: { name: string }[] }).items.map(({ name }) => name).toSorted();
  };
  await until('both were recorded', async () => (await names()).length === 2);
  expect(await names()).toEqual(['late__echo', 'nobody__echo']);
});

test('a server that cannot be discovered is named where its tool is called', async () => {
  const { bindery } = await startUnseen();
  const session = await openSession(bindery.mcpUrl);
  const call = () => session.request('tools/call', { name: 'gone__echo', arguments: {} });
  await until('it was found to be gone', async () => {
    const { body } = await bindery.api('GET', '/v1/servers/gone');
    return (body as { state: string }).state === 'error';
  });
  const { isError, content, _meta } = (await call()).result as Record<string, object>;
  expect([isError, content, _meta]).toMatchObject([
    true,
    [{ text: expect.stringMatching(/^SERVER_UNAVAILABLE: the server gone did not start\..*`bindery mcp logs gone`/) }],
    { 'bindery/error': { code: 'SERVER_UNAVAILABLE', server: 'gone' } },
  ]);
  const { body } = await bindery.api('GET', '/v1/audit');
  expect((body as { items: object[] }).items[0]).toMatchObject({ server: 'gone', outcome: 'upstream_error' });
});
