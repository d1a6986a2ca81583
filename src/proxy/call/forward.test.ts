import { expect, test } from 'vitest';
import { scanEnvelope } from '../../wire/messages.ts';
import { META, plainMeta } from '../../wire/revisions.ts';
import { isAskable } from '../../wire/server-question.ts';
import type { Client } from '../message/client.ts';
import { decodedResult } from './upstream-answer.ts';

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

test('a result that says its kind twice, or in another case, is refused; any other is decoded', () => {
  const decode = (result: string) => {
    const bytes = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
    try {
      return decodedResult({ bytes, envelope: scanEnvelope(bytes) as never });
    } catch (thrown) {
      return (thrown as { code?: unknown }).code;
    }
  };
  expect([
    decode('{"content":[],"isError":true}'),
    decode('{"isError":false,"isError":true}'),
    decode('{"isError":false,"IsError":true}'),
    decode('{"resultType":"complete","resulttype":"input_required"}'),
  ]).toEqual([{ content: [], isError: true }, 'UPSTREAM_ERROR', 'UPSTREAM_ERROR', 'UPSTREAM_ERROR']);
});

test('a server of the other revision gets `_meta` without the envelope', () => {
  const meta = {
    [META.protocolVersion]: 'x',
    [META.clientInfo]: {},
    [META.logLevel]: 'info',
    progressToken: 7,
    own: 1,
  };
  expect([plainMeta(meta), plainMeta('no object'), plainMeta(undefined)]).toEqual([
    { progressToken: 7, own: 1 },
    {},
    {},
  ]);
});
