import { expect, test } from 'vitest';
import { type HeldPlace, readHeldState, signHeldState } from '../../gateway/session/held-state.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import { HeldCall, HeldCalls } from './held-calls.ts';
import { Questions } from './questions.ts';

const keys = [Buffer.alloc(32, 1)];
const client = { caller: 'ada', profile: 'default' } as Client;
const target = { server: 'mail', tool: 'send' };
const retry = (requestState: string) => ({ params: { requestState } }) as unknown as ClientRequest;

test('a held call is found at its own node, once; another node says where it waits [gateway:R4] [gateway:E7]', () => {
  const [here, there] = [new HeldCalls(keys, 'a.example'), new HeldCalls(keys, 'b')];
  const call = new HeldCall();
  const state = here.hold(call, client, target, { params: undefined });
  const elsewhere = () => there.take(retry(state), client, target);
  expect(elsewhere).toThrow(expect.objectContaining({ code: 'INTERRUPTED' }));
  expect(elsewhere).toThrow('the call waits at the node "a.example"');
  expect(here.take(retry(state), client, target)).toBe(call);
  expect(() => here.take(retry(state), client, target)).toThrow('no call waits for these answers');
  const [prefix, , ...rest] = state.split('.');
  const forged = [prefix, Buffer.from('b').toString('base64url'), ...rest].join('.');
  expect(() => there.take(retry(forged), client, target)).toThrow('no call waits for these answers');
});

test('a held call belongs to its caller, profile and tool: others cannot take it, and it stays held [gateway:E7] [gateway:R2]', () => {
  const here = new HeldCalls(keys, 'a');
  const call = new HeldCall();
  const state = here.hold(call, client, target, { params: undefined });
  const others: [Client, typeof target][] = [
    [{ ...client, caller: 'bob' }, target],
    [{ ...client, profile: 'other' }, target],
    [client, { ...target, server: 'bank' }],
    [client, { ...target, tool: 'delete' }],
  ];
  for (const [who, what] of others)
    expect(() => here.take(retry(state), who, what)).toThrow('no call waits for these answers');
  expect([here.size, here.take(retry(state), client, target)]).toEqual([1, call]);
});

test('a held state counts if the current or the previous key signed it, and no other key [gateway:E7] [gateway:S2]', () => {
  const before = Buffer.alloc(32, 2);
  const here = new HeldCalls([...keys, before], 'a');
  const call = new HeldCall();
  const place = readHeldState(here.hold(call, client, target, { params: undefined }), keys) as HeldPlace;
  for (const key of [Buffer.alloc(0), Buffer.alloc(32), Buffer.alloc(32, 9)])
    expect(() => here.take(retry(signHeldState(place, key)), client, target)).toThrow('no call waits');
  expect(here.take(retry(signHeldState(place, before)), client, target)).toBe(call);
});

test('questions of two nodes, and of one before and after a restart, never have one id [gateway:R4]', async () => {
  const idsOf = (questions: Questions) => {
    const ids: string[] = [];
    const send = (bytes: Uint8Array) => ids.push(String(JSON.parse(Buffer.from(bytes).toString()).id));
    for (let count = 0; count < 3; count += 1) questions.ask('roots/list', {}, send, []).catch(() => {});
    return ids;
  };
  const first = new Questions('a');
  const ids = [first, new Questions('a'), new Questions('b')].flatMap(idsOf);
  expect([new Set(ids).size, ids.filter((id) => id.startsWith('bindery-b-')).length]).toEqual([9, 3]);
  const misread = ids.slice(3).map((id) => first.answer({ kind: 'response', id, result: {} } as never));
  expect(misread).toEqual(Array(6).fill(false));
});
