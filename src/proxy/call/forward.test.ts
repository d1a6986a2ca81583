import { expect, test } from 'vitest';
import type { Client } from '../message/client.ts';
import { isAskable } from './forward.ts';

const client = (elicitation: object) => ({ capabilities: { elicitation } }) as unknown as Client;

test.each<[declared: object, params: object, isAsked: boolean]>([
  [{}, {}, true],
  [{}, { mode: 'form' }, true],
  [{}, { mode: 'url' }, false],
  [{ form: {}, url: {} }, { mode: 'url', url: 'https://a.example/' }, true],
  [{ form: {}, url: {} }, { mode: 'url', url: 'javascript:alert(1)' }, false],
  [{}, { mode: 'form', Mode: 'url' }, false],
  [{}, { MODE: 'url' }, false],
  [{ form: {}, url: {} }, { mode: 'form', mODe: 'url' }, false],
])('a client that declares %j is asked %j: %s', (declared, params, isAsked) => {
  expect(isAskable(client(declared), 'elicitation/create', params as never)).toBe(isAsked);
});
