import { expect, test } from 'vitest';
import { BinderyError } from '../../contract/errors.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { scanEnvelope } from '../../wire/messages.ts';
import type { RawAnswer } from '../../wire/upstream.ts';
import type { Forwarded } from '../call/client-call.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import { readClientMessage } from '../message/client-message.ts';
import { HeldCall, HeldCalls, type HeldElsewhere } from '../sessions/held-calls.ts';
import type { NodeMessage } from './node-message.ts';
import { type NodePost, OtherNodes } from './other-nodes.ts';

const keys = [new Uint8Array(32)];
const client = { era: '2026', caller: 'ada', profile: 'default', capabilities: {}, key: 'k' } as Client;
const target = { server: 's', tool: 't' };
const answer = Buffer.from('{"jsonrpc":"2.0","id":9,"result":{"content":[]}}');

/** Two nodes, one of which holds a call that a client goes on with at the other. */
function twoNodes(reply: (deliver: () => void) => Promise<void>) {
  const nodes = new Map<string, OtherNodes>();
  const clock = { at: 0 };
  const log = createMemoryLog();
  const deliver = (to: string, message: NodeMessage) => nodes.get(to)?.receive(JSON.parse(JSON.stringify(message)));
  const post: NodePost = {
    send: async (to, message) => {
      // The node that asked seems to be gone.
      if (to === 'asking') return false;
      setImmediate(() => deliver(to, message));
      return true;
    },
    reply: (to, message) => reply(() => deliver(to, message)),
    tell: () => Promise.resolve(),
    take: () => Promise.resolve(),
    keptMs: 60_000,
    whenReachable: () => Promise.resolve(),
  };
  const held = new HeldCalls(keys, 'holding');
  const elsewhere = new HeldCalls(keys, 'asking', (...all) => (nodes.get('asking') as OtherNodes).continueHeld(...all));
  for (const [node, calls] of [
    ['holding', held],
    ['asking', elsewhere],
  ] as const)
    nodes.set(
      node,
      new OtherNodes({ node, post, sessions: () => undefined as never, held: () => calls, log, now: () => clock.at }),
    );
  const call = new HeldCall();
  const done = Promise.withResolvers<RawAnswer>();
  call.run(done.promise);
  const params = { name: 's__t', arguments: {}, requestState: held.hold(call, client, target, { params: undefined }) };
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const retry = readClientMessage(Buffer.from(JSON.stringify(request))) as ClientRequest;
  const exchange = { signal: new AbortController().signal, send: () => {}, setHeader: () => {} } as unknown as Exchange;
  const goOn = elsewhere.take(retry, client, target) as HeldElsewhere;
  const outcome = goOn(exchange).then(
    ({ bytes }: Forwarded) => JSON.parse(Buffer.from(bytes).toString()),
    (thrown: BinderyError) => thrown.code,
  );
  return {
    asking: nodes.get('asking') as OtherNodes,
    clock,
    outcome,
    finish: () => done.resolve({ bytes: answer, envelope: scanEnvelope(answer) } as RawAnswer),
  };
}

test('the answer to a held call goes to the node that asked though it seems to be gone [gateway:R4]', async () => {
  const { finish, outcome } = twoNodes(async (deliver) => deliver());
  finish();
  expect(await outcome).toMatchObject({ id: 1, result: { content: [] } });
});

test('an answer is not lost by however many failures of the database before it is known to be cut off [gateway:R14]', async () => {
  const tries = { failed: 0 };
  const { finish, outcome } = twoNodes(async (deliver) => {
    if (tries.failed === 3) return deliver();
    tries.failed += 1;
    throw new BinderyError('STORE_UNAVAILABLE');
  });
  finish();
  expect([await outcome, tries]).toMatchObject([{ id: 1 }, { failed: 3 }]);
});

test('after an outage longer than messages are kept, older waits are interrupted [gateway:R4]', async () => {
  const { asking, clock, outcome } = twoNodes(() => Promise.resolve());
  const still = [];
  for (const at of [50_000, 100_000, 160_000]) {
    clock.at = at;
    await asking.hear();
    still.push(asking.awaited());
  }
  clock.at = 220_001;
  await asking.hear();
  expect([still, await outcome, asking.awaited()]).toEqual([Array(3).fill(['holding']), 'INTERRUPTED', []]);
});
