import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';
import { openSession, type RpcAnswer, requestModern } from '../support/raw-client.ts';
import { isAlive, type RunningBindery, startBindery, until, untilKnown } from '../support/running-bindery.ts';

const program = fileURLToPath(new URL('../fixtures/servers/own-state.ts', import.meta.url));
const server = { transport: 'stdio', command: process.execPath, args: [program, 'legacy'] };
const CAPABILITIES = { elicitation: { form: {} } };

let home: ReturnType<typeof openCommandHome>;
let bindery: RunningBindery;
beforeAll(async () => {
  home = openCommandHome();
  const servers = { renewed: server, crashing: { ...server, breaker: { failures: 2, open_ms: 600_000 } } };
  home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers } }));
  bindery = await startBindery(home);
  await untilKnown(bindery, 'renewed', 'crashing');
});
afterAll(() => bindery?.stop());

const textOf = ({ result }: RpcAnswer) => (result as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text;
const codeOf = ({ result }: RpcAnswer) =>
  (result as { _meta?: { 'bindery/error'?: { code: string } } } | undefined)?._meta?.['bindery/error']?.code;
const modern = (name: string, capabilities: object = CAPABILITIES) =>
  requestModern(bindery.mcpUrl, 'tools/call', { name, arguments: {} }, { capabilities });

test('reconnecting a server ends the processes of its clients: idle ones at once, others after their call', async () => {
  const [idle, busy] = await Promise.all([1, 2].map(() => openSession(bindery.mcpUrl, { capabilities: CAPABILITIES })));
  const pidOf = async (session: typeof idle) =>
    Number(textOf((await session?.request('tools/call', { name: 'renewed__pid', arguments: {} })) as RpcAnswer));
  const before = [await pidOf(idle), await pidOf(busy), Number(textOf(await modern('renewed__pid')))];
  let hasBegun = false;
  const waiting = busy?.request(
    'tools/call',
    { name: 'renewed__wait', arguments: { ms: 1_000 }, _meta: { progressToken: 't' } },
    {
      onEarlier: () => {
        hasBegun = true;
      },
    },
  );
  await until('the call runs', () => hasBegun);
  await home.json('mcp', 'reconnect', 'renewed');
  expect(textOf((await waiting) as RpcAnswer)).toBe('waited');
  const after = [await pidOf(idle), await pidOf(busy), Number(textOf(await modern('renewed__pid')))];
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  await until('the old ones have ended', () => !before.some((pid) => isAlive(pid)));
});

test('a client that crashes its own process keeps no other client out; a breaker that is open is in the status', async () => {
  const session = await openSession(bindery.mcpUrl, { capabilities: CAPABILITIES });
  const reason = async () => (await home.json('mcp', 'status', 'crashing')).items[0].reason;
  for (let crash = 0; crash < 4; crash += 1) {
    const answer = await session.request('tools/call', { name: 'crashing__crash', arguments: {} });
    expect(codeOf(answer)).not.toBe('BREAKER_OPEN');
  }
  expect([textOf(await modern('crashing__count')), await reason()]).toEqual(['call 1', null]);
  // The process that all share is everybody's.
  for (let crash = 0; crash < 2; crash += 1) await modern('crashing__crash', {});
  expect(codeOf(await modern('crashing__count'))).toBe('BREAKER_OPEN');
  expect(await reason()).toMatch(
    /^circuit breaker open until \S+Z after 2 failed calls; `bindery mcp reconnect crashing` closes it$/,
  );
  await home.json('mcp', 'reconnect', 'crashing');
  expect(textOf(await modern('crashing__count'))).toBe('call 1');
});
