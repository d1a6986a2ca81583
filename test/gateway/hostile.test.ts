import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, HTTP_KINDS, STDIO_KINDS, startFleet } from '../support/fleet.ts';
import { openSession, type RpcAnswer } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  listServers,
  processesOf,
  type RunningBindery,
  rssOf,
  startBindery,
  until,
  untilKnown,
} from '../support/running-bindery.ts';

const HEALTHY = 5;
const bad = [
  'dead-0',
  'hanging-0',
  ...HTTP_KINDS.map((kind) => `http-${kind}`),
  ...STDIO_KINDS.map((kind) => `stdio-${kind}`),
];
const healthy = Array.from({ length: HEALTHY }, (_, index) => `healthy-${index}`);

let fleet: Fleet;
let home: BinderyHome;
let bindery: RunningBindery;
let session: Awaited<ReturnType<typeof openSession>>;

beforeAll(async () => {
  fleet = await startFleet();
  home = await createHome(fleet.config({ healthy: HEALTHY, dead: 1, hanging: 1, flapping: 2, hostile: true }));
  bindery = await startBindery(home);
  session = await openSession(bindery.mcpUrl);
  await untilKnown(bindery, ...healthy, 'http-wrong-ids');
});

afterAll(async () => {
  await bindery?.stop('SIGKILL');
  fleet?.process.kill();
  await home?.remove();
});

const call = (name: string, text = 'hi') => session.request('tools/call', { name, arguments: { text, message: text } });

test('bad servers leave healthy calls, the list and memory alone, and each says what is wrong with it [gateway:HOSTILE] [gateway:B1] [gateway:B2]', async () => {
  const during = { calls: 0, wrong: [] as unknown[], lists: new Set<number>(), rssMb: 0 };
  let busy = true;
  const caller = async (worker: number) => {
    while (busy) {
      const text = `${worker}-${during.calls++}`;
      const answer = await call(`${healthy[during.calls % HEALTHY]}__tool-${during.calls % 20}`, text);
      if (textOf(answer) !== text) during.wrong.push(answer);
      const { tools } = (await session.request('tools/list')).result as { tools: { name: string }[] };
      during.lists.add(tools.filter(({ name }) => name.startsWith('healthy-')).length);
      during.rssMb = Math.max(during.rssMb, rssOf(bindery.process.pid));
    }
  };
  const callers = [0, 1].map(caller);
  const codes: Record<string, string | number | undefined> = {};
  for (const name of [
    'http-wrong-ids__tool-1',
    'http-slow-bytes__tool-1',
    'http-huge__tool-1',
    'http-flood__tool-1',
    'stdio-flood__echo',
    'stdio-huge__echo',
    'stdio-stderr__echo',
    'dead-0__tool-1',
  ])
    codes[name] = codeOf(await call(name));
  // A server that fails five times in a row is left alone for a while.
  for (let times = 0; times < 5; times += 1) await call('http-wrong-ids__tool-1');
  codes.again = codeOf(await call('http-wrong-ids__tool-1'));
  busy = false;
  await Promise.all(callers);
  console.log(`hostile: ${during.calls} healthy calls meanwhile, at most ${during.rssMb} MB`);
  expect({ wrong: during.wrong, lists: [...during.lists], small: during.rssMb < 500, codes }).toEqual({
    wrong: [],
    lists: [HEALTHY * 20],
    small: true,
    codes: {
      'http-wrong-ids__tool-1': 'UPSTREAM_ERROR',
      'http-slow-bytes__tool-1': 'TIMED_OUT',
      'http-huge__tool-1': 'OUTPUT_TOO_LARGE',
      'http-flood__tool-1': 'UPSTREAM_ERROR',
      'stdio-flood__echo': 'UPSTREAM_ERROR',
      'stdio-huge__echo': expect.stringMatching(/UPSTREAM_ERROR|OUTPUT_TOO_LARGE/),
      'stdio-stderr__echo': undefined,
      'dead-0__tool-1': 'SERVER_UNAVAILABLE',
      again: 'BREAKER_OPEN',
    },
  });
});

test('every server has a state, and those that cannot be used a reason [gateway:HOSTILE] [gateway:H3] [gateway:D1]', async () => {
  const unusable = ['dead-0', 'hanging-0', 'http-garbage', 'http-redirect', 'stdio-dies-at-start'];
  const items = async () => (await listServers(bindery)).filter(({ id }) => unusable.includes(String(id)));
  await until('all have failed', async () => (await items()).every(({ last_error }) => last_error));
  expect(
    (await items()).map(({ id, state, status, last_error }) => [
      id,
      /error|connecting/.test(String(state)),
      status,
      typeof last_error,
    ]),
  ).toEqual(unusable.toSorted().map((id) => [id, true, expect.stringMatching(/error|stopped/), 'string']));
  expect((await listServers(bindery)).filter(({ state }) => !state).length).toBe(0);
  expect(bad.length).toBe(13);
});

test('none of their processes is left when the gateway ends [gateway:HOSTILE] [gateway:G6]', async () => {
  await call('stdio-flood__echo');
  expect(await bindery.stop('SIGTERM')).toBe(0);
  await until('no process is left', () => processesOf(home).length === 0);
});

function codeOf({ result, error }: RpcAnswer): string | number | undefined {
  const { _meta } = (result ?? {}) as { _meta?: { 'bindery/error'?: { code: string } } };
  return _meta?.['bindery/error']?.code ?? error?.code;
}

function textOf({ result }: RpcAnswer): string | undefined {
  return (result as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text;
}
