import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type RunningFixture,
  startModernFixture,
  startSessionFixture,
} from '../../src/proxy/testing/fixture-server.ts';
import { type Earlier, openSession, type RpcAnswer, requestModern } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from '../support/running-bindery.ts';

const stdioServer = fileURLToPath(new URL('../fixtures/servers/stdio-server.ts', import.meta.url));
const SERVERS = ['modern', 'legacy', 'pipe'];
const CLIENTS = 12;

let fixtures: RunningFixture[];
let home: BinderyHome;
let bindery: RunningBindery;

beforeAll(async () => {
  fixtures = [await startModernFixture(), await startSessionFixture()];
  home = await createHome({
    mcp: {
      servers: {
        modern: { transport: 'http', url: fixtures[0]?.url },
        legacy: { transport: 'http', url: fixtures[1]?.url },
        pipe: { transport: 'stdio', command: process.execPath, args: [stdioServer] },
      },
    },
    gateway: { profiles: { without: { servers: ['modern'] } }, exposure: 'all' },
  });
  bindery = await startBindery(home);
  await untilKnown(bindery, ...SERVERS);
});

afterAll(async () => {
  await bindery?.stop();
  for (const fixture of fixtures ?? []) await fixture.close();
  await home?.remove();
});

/** One client of either revision, which uses the same id and the same token as every other. */
interface TestClient {
  call(name: string, args: object): Promise<{ answer: RpcAnswer; earlier: Earlier[] }>;
}

async function openClient(era: '2025' | '2026', name: string): Promise<TestClient> {
  const session = era === '2025' ? await openSession(bindery.mcpUrl, { name }) : undefined;
  return {
    async call(tool, args) {
      const earlier: Earlier[] = [];
      const params = { name: tool, arguments: args, _meta: { progressToken: 'same' } };
      const more = { id: 1, onEarlier: (message: Earlier) => void earlier.push(message), name };
      const answer = session
        ? await session.request('tools/call', params, more)
        : await requestModern(bindery.mcpUrl, 'tools/call', params, more);
      return { answer, earlier };
    },
  };
}

describe.each(SERVERS)('clients with equal ids and progress tokens on %s', (server) => {
  test('get their own answers and their own progress, in order [gateway:R6] [gateway:L2]', async () => {
    const clients = await Promise.all(
      Array.from({ length: CLIENTS }, (_, index) => openClient(index % 2 ? '2025' : '2026', `client-${index}`)),
    );
    const seen = await Promise.all(
      clients.map(async (client, index) => {
        const steps = index + 2;
        const slow = client.call(`${server}__slow`, { steps, pauseMs: 5, everyMs: 5 });
        const secret = `secret of ${index}`;
        const echo = await client.call(`${server}__echo`, { text: secret, message: secret });
        const { answer, earlier } = await slow;
        return {
          echo: [echo.answer.id, textOf(echo.answer)],
          id: answer.id,
          failed: answer.error,
          progress: earlier.map(({ params }) => [params?.progressToken, params?.progress, params?.total]),
        };
      }),
    );
    expect(seen).toEqual(
      clients.map((_, index) => ({
        echo: [1, `secret of ${index}`],
        id: 1,
        failed: undefined,
        progress: Array.from({ length: index + 2 }, (_step, step) => ['same', step + 1, index + 2]),
      })),
    );
  });
});

describe('a list that changes', () => {
  test('is told once to each client that sees a difference, when tools come and when they go [gateway:L1]', async () => {
    const told: string[] = [];
    const legacy = await openSession(bindery.mcpUrl);
    const elsewhere = await openSession(`${bindery.mcpUrl}/without`);
    const closing = new AbortController();
    const note = (who: string) => (message: Earlier) => void told.push(`${who} ${message.method}`);
    const stops = [await legacy.listen(note('2025')), await elsewhere.listen(note('elsewhere'))];
    void requestModern(
      bindery.mcpUrl,
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      { onEarlier: note('2026'), signal: closing.signal },
    ).catch(() => {});
    await until('the subscription is acknowledged', () => told.length === 1);
    const names = async () => {
      const { tools } = (await legacy.request('tools/list')).result as { tools: { name: string }[] };
      return tools.map(({ name }) => name).filter((name) => /extra|going/.test(name));
    };
    const lists = [await names()];
    for (const generation of [1, 2]) {
      await legacy.request('tools/call', { name: 'pipe__change', arguments: {} });
      await until('both were told', () => told.length >= 1 + 2 * generation);
      lists.push(await names());
    }
    for (const stop of stops) stop();
    closing.abort();
    expect({ lists, told: told.toSorted() }).toEqual({
      lists: [['pipe__going'], ['pipe__extra', 'pipe__going'], ['pipe__extra']],
      told: [
        '2025 notifications/tools/list_changed',
        '2025 notifications/tools/list_changed',
        '2026 notifications/subscriptions/acknowledged',
        '2026 notifications/tools/list_changed',
        '2026 notifications/tools/list_changed',
      ],
    });
  });
});

describe('a call that is cancelled', () => {
  test('by a 2025 client reaches its server, and nothing is answered any more [gateway:L2] [gateway:B3]', async () => {
    const session = await openSession(bindery.mcpUrl);
    const response = session.send({
      id: 'mine',
      method: 'tools/call',
      params: { name: 'pipe__never', arguments: {} },
    });
    await until('the call runs', async () => {
      const metrics = await (await fetch(`${bindery.url}/v1/audit?limit=1`)).text();
      return metrics.includes('never');
    });
    await session.send({ method: 'notifications/cancelled', params: { requestId: 'mine' } });
    const answered = await response;
    const told = await session.request('tools/call', { name: 'pipe__cancelled', arguments: {} });
    const outcome = await outcomeOf('never');
    expect({ status: answered.status, body: await answered.text(), outcome, told: textOf(told) }).toEqual({
      status: 202,
      body: '',
      outcome: 'cancelled',
      told: expect.stringMatching(/^\[\{"requestId":\d+,"reason":"cancelled"\}\]$/),
    });
  });

  test('by a 2026 client that closes its stream is recorded as such [gateway:L2]', async () => {
    const closing = new AbortController();
    const call = requestModern(
      bindery.mcpUrl,
      'tools/call',
      { name: 'modern__slow', arguments: { steps: 100, pauseMs: 50 }, _meta: { progressToken: 1 } },
      { signal: closing.signal, onEarlier: () => closing.abort() },
    );
    await expect(call).rejects.toThrow(/abort/i);
    await until('the end is recorded', async () => (await outcomeOf('slow', 'modern')) === 'cancelled');
  });
});

async function outcomeOf(tool: string, server = 'pipe'): Promise<unknown> {
  const { items } = (await (await fetch(`${bindery.url}/v1/audit?server=${server}&tool=${tool}&limit=1`)).json()) as {
    items: Record<string, unknown>[];
  };
  return items[0]?.outcome;
}

function textOf({ result }: RpcAnswer): string | undefined {
  return (result as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text;
}
