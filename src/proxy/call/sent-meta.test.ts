import { expect, test } from 'vitest';
import type { ClientRequest } from '../message/client.ts';
import { readClientMessage } from '../message/client-message.ts';
import { CLIENT, codeOf, exchangeOf, OfflineGateway } from '../testing/offline-gateway.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const DEFINED = { progressToken: 'mine', traceparent: TRACEPARENT, baggage: 'a=b' };
const META = { ...DEFINED, 'evil.example/run': { cmd: 'rm', api_key: 'sk-1234567890abcdef' }, __proto__x: 1 };
const ALLOWED = (operation: object) => ({ allowlist: { servers: ['s'], operations: { t: operation } } });

/** What the server got as `_meta`, and what was recorded of it. */
async function sent(world: OfflineGateway, _meta: object = META, era: '2025' | '2026' = '2025') {
  world.upstream.era = era;
  world.audit.length = 0;
  const answer = await world.request('tools/call', { name: 's__t', arguments: { a: 1 }, _meta });
  const { params, progressToken } = world.upstream.sent.at(-1) ?? {};
  return [codeOf(answer), params?._meta, world.audit[0]?.meta, progressToken];
}

test('members of `_meta` that the protocol does not define reach the server where no rule judges arguments, on record', async () => {
  const world = new OfflineGateway();
  const recorded = { 'evil.example/run': { cmd: 'rm', api_key: '***' }, __proto__x: 1 };
  const expected = ['ok', { ...META, progressToken: 101 }, recorded, 101];
  expect(await sent(world)).toEqual(expected);
  const [, modern] = await sent(world, META, '2026');
  expect(modern).toMatchObject({ 'evil.example/run': META['evil.example/run'] });
  expect((await sent(world, DEFINED))[2]).toBe(undefined);
});

test.each([
  ['argument rules', { arguments: { type: 'object' } }],
  ['an approval', { approval_required: true }],
])('with %s only defined members of `_meta` are sent, and the record has what was sent', async (_, operation) => {
  const world = new OfflineGateway({
    approvals: {
      approve: async () => ({
        approval: { id: 'apr_1', decided_via: 'cli' },
        use: async () => true,
        wrapState: String,
      }),
      unwrap: (request: ClientRequest) => request,
    } as never,
  });
  world.setPolicy(ALLOWED(operation));
  expect(await sent(world)).toEqual(['ok', { ...DEFINED, progressToken: 101 }, undefined, 101]);
  const [, modern] = await sent(world, META, '2026');
  expect(Object.keys(modern as object).filter((name) => !name.startsWith('io.'))).toEqual([
    'progressToken',
    'traceparent',
    'baggage',
  ]);
  // A value that is no trace context and no token of the protocol is not sent under such a name.
  const words = ['override={"to":"x"}', 'to=me\nnow', 'pay it', { cmd: 'rm' }, ['x'], 'a='.padEnd(600, 'b')];
  for (const value of words) {
    const related = { taskId: 't', evil: value };
    const meta = {
      traceparent: value,
      tracestate: value,
      baggage: value,
      'io.modelcontextprotocol/related-task': related,
    };
    expect((await sent(world, meta))[1]).toEqual({});
  }
  const good = {
    traceparent: TRACEPARENT,
    tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    baggage: 'a=b;c,d=%20e',
  };
  expect((await sent(world, good))[1]).toEqual(good);
});

test('a member of `_meta` that no record can hold is not sent', async () => {
  const world = new OfflineGateway();
  const text = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"s__t","_meta":{"x":"\\ud800"}}}';
  const handled = world.gateway.handle(CLIENT, readClientMessage(Buffer.from(text)) as ClientRequest, exchangeOf());
  await expect(handled).rejects.toThrow('the members of _meta have no canonical form');
  expect([world.upstream.sent, world.audit.map(({ outcome }) => outcome)]).toEqual([[], ['denied']]);
});
