import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ambiguousMember } from '../../wire/object-members.ts';
import { paramNames } from '../../wire/request-params.ts';
import { memberOf, namesOf, plain, READERS, type Reader, readWritten } from '../../wire/testing/lenient-readers.ts';
import type { ClientRequest } from '../message/client.ts';
import { readClientMessage } from '../message/client-message.ts';
import { outgoingRequest, type Rewrite, translatedRequest } from './outgoing-request.ts';

const METHODS = ['tools/call', 'resources/read', 'prompts/get', 'tasks/get', 'tasks/list', 'completion/complete'];
const ID = 99;

/** Letters that parsers which ignore case take for others. */
const OTHER_LETTERS: Readonly<Record<string, string>> = { s: '\u017f', k: '\u212a', i: '\u0131' };

/** A name as a client may spell it: mostly as it is. */
function spelling(name: string): fc.Arbitrary<string> {
  const at = fc.nat(name.length - 1);
  const with1 = (letter: (found: string) => string) =>
    at.map((index) => `"${name.slice(0, index)}${letter(name[index] as string)}${name.slice(index + 1)}"`);
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(JSON.stringify(name)) },
    { weight: 2, arbitrary: with1((letter) => letter.toUpperCase()) },
    { weight: 1, arbitrary: fc.constant(JSON.stringify(name.toUpperCase())) },
    { weight: 1, arbitrary: with1((letter) => OTHER_LETTERS[letter] ?? letter) },
    { weight: 1, arbitrary: with1((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`) },
    { weight: 1, arbitrary: with1((letter) => `${letter}_`) },
  );
}

/** Objects as texts: members in any order, spelled in any way, some of them several times. */
function objectText(members: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> {
  const texts = Object.entries(members).map(([name, value]) => {
    const one = fc.tuple(spelling(name), value).map(([spelled, text]) => `${spelled}:${text}`);
    return fc.oneof({ weight: 8, arbitrary: one.map((text) => [text]) }, fc.array(one, { maxLength: 2 }));
  });
  const more = fc.array(fc.constantFrom('"x":1', '"extra":{"name":"x"}', '"":null'), { maxLength: 1 });
  return fc
    .tuple(fc.constantFrom(',', ' ,\n', '\t, '), ...texts, more)
    .chain(([comma, ...found]) =>
      fc.shuffledSubarray(found.flat(), { minLength: found.flat().length }).map((all) => all.join(comma)),
    )
    .map((text) => `{${text}}`);
}

const string = fc.constantFrom('"a"', '"b"', '"\\u0061"', '"notes__echo"');
const argumentsText = objectText({
  path: string,
  kind: fc.constant('{"is":1,"Is":2}'),
  list: fc.constant('[{"a":1}]'),
});
const params = objectText({
  name: string,
  uri: string,
  taskId: string,
  cursor: string,
  arguments: fc.oneof(argumentsText, fc.constantFrom('{}', 'null')),
  _meta: objectText({ progressToken: fc.constantFrom('7', '"t"'), traceparent: string }),
  requestState: string,
  task: fc.constant('{"ttl":1}'),
  ref: objectText({ type: string, name: string }),
});
const envelope = objectText({
  jsonrpc: fc.constant('"2.0"'),
  id: fc.constantFrom('1', '"one"'),
  method: fc.constantFrom(...METHODS.map((method) => JSON.stringify(method))),
  params,
});

function read(text: string): ClientRequest | undefined {
  try {
    const message = readClientMessage(Buffer.from(text));
    return message.kind === 'request' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** What the gateway judged, as the server must read it. */
function judged({ method, params = {} }: ClientRequest, rewrite: Rewrite): Record<string, unknown> {
  const names = paramNames(method);
  const known = (name: string, value: unknown) => (names.includes(name) && name in params ? value : undefined);
  return {
    id: ID,
    method,
    name: known('name', rewrite.name),
    uri: known('uri', rewrite.uri),
    taskId: known('taskId', params.taskId),
    cursor: known('cursor', params.cursor),
    requestState: known('requestState', rewrite.round?.requestState),
    progressToken:
      (params._meta as { progressToken?: unknown } | undefined)?.progressToken === undefined ? undefined : ID,
  };
}

function readBy(text: string, reader: Reader) {
  const message = readWritten(text);
  const given = memberOf(message, 'params', reader);
  return {
    id: memberOf(message, 'id', reader),
    method: memberOf(message, 'method', reader),
    name: memberOf(given, 'name', reader),
    uri: memberOf(given, 'uri', reader),
    taskId: memberOf(given, 'taskId', reader),
    cursor: memberOf(given, 'cursor', reader),
    requestState: memberOf(given, 'requestState', reader),
    progressToken: memberOf(memberOf(given, '_meta', reader), 'progressToken', reader),
  };
}

test('whatever a client writes, every parser of the sent request reads what policy judged [gateway:E8] [gateway:R5]', () => {
  let accepted = 0;
  fc.assert(
    fc.property(envelope, (text) => {
      const request = read(text);
      if (!request) return;
      accepted += 1;
      const rewrite: Rewrite = { name: 'judged', uri: 'judged:uri', round: { requestState: 'judged state' } };
      const sent = Buffer.from(outgoingRequest(request, ID, rewrite)).toString('utf8');
      for (const reader of READERS) {
        const expected = judged(request, rewrite);
        // The bytes of `_meta` pass, which is open to names of others: those that differ by a separator are others.
        if (reader.name.startsWith('separators')) delete expected.progressToken;
        expect([reader.name, readBy(sent, reader)]).toMatchObject([reader.name, expected]);
      }
      const message = readWritten(sent);
      expect(['jsonrpc', 'id', 'method', 'params']).toEqual(expect.arrayContaining(namesOf(message)));
      const given = memberOf(message, 'params', READERS[0] as Reader);
      expect(paramNames(request.method)).toEqual(expect.arrayContaining(namesOf(given)));
      expect(Object.keys(request.params ?? {})).toEqual(expect.arrayContaining(namesOf(given)));
      expect(paramNames(request.method)).toEqual(
        expect.arrayContaining(Object.keys(JSON.parse(String(translatedRequest({ request, rewrite }, 1))).params)),
      );
    }),
    { numRuns: 6_000 },
  );
  expect(accepted).toBeGreaterThan(500);
});

test('arguments that are judged are read by every reader as they were judged, or are refused [gateway:R5]', () => {
  let clear = 0;
  fc.assert(
    fc.property(argumentsText, (args) => {
      const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":${args}}}`;
      const request = read(text) as ClientRequest;
      const span = request.spans.params?.get('arguments');
      if (!span || ambiguousMember(request.bytes, span) !== undefined) return;
      clear += 1;
      const judgedArguments = request.params?.arguments;
      const sent = Buffer.from(outgoingRequest(request, ID, { name: 'a', judgedArguments })).toString('utf8');
      for (const reader of READERS) {
        const given = memberOf(memberOf(readWritten(sent), 'params', reader), 'arguments', reader);
        // Names that differ by a separator are two names to everyone who reads objects of any shape.
        if (!reader.name.startsWith('separators')) expect(plain(given, reader)).toEqual(judgedArguments);
      }
    }),
    { numRuns: 3_000 },
  );
  expect(clear).toBeGreaterThan(100);
});

test('arguments and _meta that are not judged pass as the bytes that they were', () => {
  const args = '{ "text" : "\\u00e9", "n":1.0 }';
  const meta = '{"progressToken": "t" ,"own" :[ 1 ]}';
  const text = `{"id":"x","params":{"_meta":${meta},"other":1,"arguments":${args},"name":"notes__echo"},"more":2,"method":"tools\\/call","jsonrpc":"2.0"}`;
  const sent = outgoingRequest(read(text) as ClientRequest, ID, { name: 'echo' });
  expect(Buffer.from(sent).toString('utf8')).toBe(
    `{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"_meta":{"progressToken": 99 ,"own" :[ 1 ]},"arguments":${args},"name":"echo"}}`,
  );
});

test('answers and state of a client are sent only as a round that was checked', () => {
  const params = { name: 'x', inputResponses: { a: 1 }, requestState: 'forged', arguments: {} };
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const sent = (rewrite: Rewrite) =>
    JSON.parse(String(outgoingRequest(read(text) as ClientRequest, ID, rewrite))).params;
  expect([sent({}), sent({ round: {} }), sent({ round: { inputResponses: { b: {} }, requestState: 's' } })]).toEqual([
    { name: 'x', arguments: {} },
    { name: 'x', arguments: {} },
    { name: 'x', inputResponses: { b: {} }, requestState: 's', arguments: {} },
  ]);
});

test.each([
  ['{"jsonrpc":"2.0","id":1,"method":"tasks/list"}', '{"jsonrpc":"2.0","id":99,"method":"tasks/list"}'],
  [
    '{"jsonrpc":"2.0","id":1,"method":"tasks/list","params":{"x":1}}',
    '{"jsonrpc":"2.0","id":99,"method":"tasks/list","params":{}}',
  ],
])('a request without parameters stays one: %s', (text, expected) => {
  expect(Buffer.from(outgoingRequest(read(text) as ClientRequest, ID, {})).toString('utf8')).toBe(expected);
});
