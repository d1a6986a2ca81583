import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { callTool, untilListed } from '../support/call-tool.ts';
import { openCommandHome } from '../support/command-home.ts';
import { type RunningBindery, startBindery } from '../support/running-bindery.ts';

let fixture: RunningFixture;
let home: ReturnType<typeof openCommandHome>;
let bindery: RunningBindery;
beforeAll(async () => {
  fixture = await startModernFixture();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  home = openCommandHome();
  const servers = { s: { transport: 'http', url: fixture.url } };
  home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers } }));
  bindery = await startBindery(home);
  return () => bindery.stop();
});

test('events tell what happens, with ids that can be taken up again, and a reset where they cannot [gateway:D4]', async () => {
  await untilListed(bindery.url, 's__echo', { text: 'x' });
  const events = await openEvents(bindery.url);
  await callTool(bindery.url, 's__echo', { text: 'seen' });
  const appended = await events.until('audit.appended');
  expect(appended.data.data).toMatchObject({
    items: [expect.objectContaining({ server: 's', outcome: 'ok' })],
    dropped: 0,
  });
  home.write(
    'project_mcp.json',
    JSON.stringify({ allowlist: { servers: ['s'], operations: { echo: { approval_required: true } } } }),
  );
  expect((await events.until('policy.changed')).data.data).toMatchObject({
    layers: [{ layer: 'project', status: 'ok' }],
  });
  const call = callTool(bindery.url, 's__echo', { text: 'ask' });
  const created = await events.until('approval.created');
  await home.run('approvals', 'approve', created.data.data.id);
  expect((await events.until('approval.decided')).data.data).toMatchObject({
    id: created.data.data.id,
    status: 'approved',
    decided_via: 'cli',
  });
  expect((await call).result.content).toEqual([{ type: 'text', text: 'ask' }]);
  await bindery.api('POST', '/v1/servers', { name: 'two', endpoint: fixture.url, transport: 'http' });
  expect((await events.until('tools.changed')).data.data).toEqual({
    names: expect.arrayContaining(['s__echo', 'two__echo']),
  });
  expect((await events.until('server.changed')).data.data).toMatchObject({
    id: expect.any(String),
    state: expect.any(String),
  });
  events.close();
  const again = await openEvents(bindery.url, String(created.id));
  expect((await again.until('approval.decided')).id).toBeGreaterThan(created.id);
  again.close();
  const lost = await openEvents(bindery.url, '999999');
  await lost.until('reset');
  lost.close();
});

test('a server that comes, is accepted, is switched off or goes is told of, though its connection says nothing of it [gateway:D4]', async () => {
  await untilListed(bindery.url, 's__echo', { text: 'x' });
  const events = await openEvents(bindery.url);
  let heard = 0;
  /** The next event about the server that has these members. */
  const told = async (wanted: object) => {
    for (; ; heard += 1) {
      while (events.seen().length <= heard) await new Promise((resolve) => setTimeout(resolve, 10));
      const { event, data } = events.seen()[heard] ?? {};
      const isWanted = Object.entries(wanted).every(([key, value]) => data.data[key] === value);
      if (event === 'server.changed' && data.data.id === 'two' && isWanted) return data.data;
    }
  };
  await bindery.api('POST', '/v1/servers', { name: 'two', endpoint: fixture.url, transport: 'http' });
  await told({ source: 'registered', state: 'ready', held: 4, tools: 0 });
  await home.run('tools', 'accept', 'two');
  await told({ state: 'ready', held: 0, tools: 3 });
  await bindery.api('PATCH', '/v1/servers/two', { enabled: false });
  await told({ enabled: false, state: 'disabled', status: 'stopped', tools: 0 });
  await bindery.api('PATCH', '/v1/servers/two', { enabled: true });
  await told({ enabled: true, state: 'ready', tools: 3 });
  await bindery.api('DELETE', '/v1/servers/two');
  const last = await told({ reason: 'removed' });
  events.close();
  expect(last).toMatchObject({ enabled: false, state: 'disabled', connected: false, status: 'stopped' });
});

test('a flood of calls gives at most ten audit events a second, and says what it left out [gateway:D4]', async () => {
  await untilListed(bindery.url, 's__echo', { text: 'x' });
  const events = await openEvents(bindery.url);
  const begun = Date.now();
  let calls = 0;
  while (Date.now() - begun < 1_500) {
    await Promise.all(Array.from({ length: 16 }, () => callTool(bindery.url, 's__echo', { text: 'flood' })));
    calls += 16;
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  const appended = events.seen().filter(({ event }) => event === 'audit.appended');
  const told = appended.reduce((sum, { data }) => sum + data.data.items.length + data.data.dropped, 0);
  events.close();
  expect([appended.length <= 20, appended.every(({ data }) => data.data.items.length <= 100), told]).toEqual([
    true,
    true,
    calls,
  ]);
});

test('a reader gets the events that it names alone, new and missed ones, and a wrong name is refused [gateway:D4]', async () => {
  const [all, calls, others] = await Promise.all([
    openEvents(bindery.url),
    openEvents(bindery.url, undefined, '?events=audit.appended'),
    openEvents(bindery.url, undefined, '?events=server.changed,tools.changed'),
  ]);
  await callTool(bindery.url, 's__echo', { text: 'one' });
  await bindery.api('POST', '/v1/servers', { name: 'named', endpoint: fixture.url, transport: 'http' });
  await all.until('audit.appended');
  const last = await all.until('server.changed');
  await Promise.all([calls.until('audit.appended'), others.until('server.changed')]);
  await expect.poll(() => others.seen().at(-1)?.id).toBeGreaterThanOrEqual(last.id);
  const missed = await openEvents(bindery.url, String((all.seen()[0]?.id ?? 0) - 1), '?events=server.changed');
  await missed.until('server.changed');
  const names = (seen: readonly SeenEvent[]) => [...new Set(seen.map(({ event }) => event))].sort();
  expect([names(calls.seen()), names(missed.seen())]).toEqual([['audit.appended'], ['server.changed']]);
  expect(names(others.seen())).not.toContain('audit.appended');
  for (const reader of [all, calls, others, missed]) reader.close();
  const wrong = await fetch(`${bindery.url}/v1/events?events=calls`);
  expect([wrong.status, await wrong.json()]).toEqual([400, expect.objectContaining({ code: 'INVALID_ARGUMENTS' })]);
});

test('the stream of events stands in the OpenAPI document and in the reference [gateway:D4]', async () => {
  const document = (await (await fetch(`${bindery.url}/openapi.json`)).json()) as {
    paths: Record<string, { get: unknown }>;
  };
  expect(document.paths['/v1/events']?.get).toMatchObject({
    operationId: 'gateway.events',
    description: expect.stringContaining('approval.created'),
    parameters: [
      { name: 'events', in: 'query', required: false },
      { name: 'last-event-id', in: 'header', required: false },
    ],
    responses: { 200: { content: { 'text/event-stream': {} } } },
  });
  expect(await (await fetch(`${bindery.url}/reference`)).text()).toContain('GET /v1/events');
});

interface SeenEvent {
  readonly id: number;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of every kind, looked at by their members.
  readonly data: any;
}

async function openEvents(url: string, lastEventId?: string, query = '') {
  const abort = new AbortController();
  const response = await fetch(`${url}/v1/events${query}`, {
    signal: abort.signal,
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events: SeenEvent[] = [];
  const reading = (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks.filter((item) => !item.startsWith(':'))) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
        events.push({ id: Number(field('id')), event: field('event'), data: JSON.parse(field('data')) });
      }
    }
  })().catch(() => {});
  return {
    seen: () => events,
    until: async (event: string): Promise<SeenEvent> => {
      for (let count = 0; count < 400; count += 1) {
        const found = events.findLast((item) => item.event === event);
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(`no ${event} among ${events.map((item) => item.event).join(' ')}`);
    },
    close: () => {
      abort.abort();
      return reading;
    },
  };
}
