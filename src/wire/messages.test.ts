import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spliceSpans } from './json-scan.ts';
import { guessId, readId, readMethod, scanEnvelope, splitBatch } from './messages.ts';

const bytes = (text: string) => Buffer.from(text);

/** The naive second reading: decode everything. */
function readNaively(text: string) {
  try {
    const value = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value.jsonrpc !== '2.0')
      return undefined;
    const has = (name: string) => Object.hasOwn(value, name);
    if (has('method')) {
      if (has('result') || has('error')) return undefined;
      return { kind: has('id') ? 'request' : 'notification', id: value.id, method: value.method, body: value.params };
    }
    if (has('result') === has('error')) return undefined;
    return has('result')
      ? { kind: 'result', id: value.id, method: undefined, body: value.result }
      : { kind: 'error', id: value.id, method: undefined, body: value.error };
  } catch {
    return undefined;
  }
}

function readByScan(text: string) {
  const raw = bytes(text);
  const envelope = scanEnvelope(raw);
  if (envelope === undefined) return undefined;
  const body = envelope.kind === 'error' ? envelope.error : (envelope.result ?? (envelope.method && envelope.params));
  return {
    kind: envelope.kind,
    id: envelope.id && JSON.parse(raw.toString('utf8', envelope.id.start, envelope.id.end)),
    method: envelope.method && JSON.parse(raw.toString('utf8', envelope.method.start, envelope.method.end)),
    body: body && JSON.parse(raw.toString('utf8', body.start, body.end)),
  };
}

const id = fc.oneof(fc.integer(), fc.string({ unit: 'grapheme' }), fc.constant(null));
const other = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { maxKeys: 2 });
const message = fc
  .tuple(
    fc.record(
      { id, method: fc.string(), params: fc.jsonValue(), result: fc.jsonValue(), error: fc.jsonValue() },
      { requiredKeys: [] },
    ),
    other,
    fc.constantFrom('2.0', '2.0', '2.0', '1.0', 2),
    fc.boolean(),
  )
  .map(([members, rest, jsonrpc, last]) =>
    last ? { ...rest, ...members, jsonrpc } : { jsonrpc, ...rest, ...members },
  );

test('the scan reads what a full decode reads, in any order and spacing', () => {
  fc.assert(
    fc.property(message, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(readByScan(text)).toEqual(readNaively(text));
    }),
    { numRuns: 500 },
  );
});

test('bytes that are cut anywhere are no message', () => {
  const whole = JSON.stringify({ jsonrpc: '2.0', id: 'a"\\', result: { text: 'x\\"}', list: [1, { a: [] }] } });
  for (let end = 0; end < whole.length; end++) expect(scanEnvelope(bytes(whole.slice(0, end)))).toBeUndefined();
  expect(scanEnvelope(bytes(whole))?.kind).toBe('result');
});

test.each([
  ['a batch', '[{"jsonrpc":"2.0","id":1,"result":{}}]'],
  ['two messages', '{"jsonrpc":"2.0","id":1,"result":{}}{}'],
  ['a repeated id', '{"jsonrpc":"2.0","id":1,"id":2,"result":{}}'],
  ['a repeated id in disguise', '{"jsonrpc":"2.0","id":1,"\\u0069d":2,"result":{}}'],
  ['a result beside an error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}'],
  ['a trailing comma', '{"jsonrpc":"2.0","id":1,"result":{},}'],
  ['another version', '{"jsonrpc":"1.0","id":1,"result":{}}'],
  ['a log line', 'Server started on stdio'],
])('%s is no message', (_what, text) => {
  expect(scanEnvelope(bytes(text))).toBeUndefined();
});

test('an id that is neither string nor number is no id', () => {
  const read = (text: string) => {
    const envelope = scanEnvelope(bytes(text));
    return envelope && readId(bytes(text), envelope);
  };
  expect(['7', '"7"', 'null', '{}', 'tru'].map((value) => read(`{"jsonrpc":"2.0","id":${value},"result":{}}`))).toEqual(
    [7, '7', undefined, undefined, undefined],
  );
});

test('an id is the value that a full decode gives', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.nat(), fc.maxSafeInteger(), fc.double(), fc.string(), fc.constantFrom(0, 1e15)),
      (value) => {
        const raw = bytes(JSON.stringify({ jsonrpc: '2.0', id: value, result: {} }));
        const envelope = scanEnvelope(raw);
        expect(envelope && readId(raw, envelope)).toEqual(JSON.parse(raw.toString()).id ?? undefined);
      },
    ),
  );
  const odd = ['00', '01', '1a', '1e2'].map((text) => bytes(`{"jsonrpc":"2.0","id":${text},"result":{}}`));
  expect(odd.map((raw) => readId(raw, scanEnvelope(raw) as never))).toEqual([undefined, undefined, undefined, 100]);
});

test('[wire:R6] an id is rewritten and the other bytes stay as they are', () => {
  const text = '{ "result" : {"id":1,"n":1.0} , "id" : "a\\u0062" ,"jsonrpc":"2.0"}';
  const envelope = scanEnvelope(bytes(text));
  if (envelope?.id === undefined) throw new Error('no id');
  expect(Buffer.from(spliceSpans(bytes(text), [{ span: envelope.id, value: '42' }])).toString()).toBe(
    '{ "result" : {"id":1,"n":1.0} , "id" : 42 ,"jsonrpc":"2.0"}',
  );
});

test('the method of a request is read', () => {
  const text = '{"method":"tools/call","id":1,"jsonrpc":"2.0"}';
  const envelope = scanEnvelope(bytes(text));
  expect(envelope && readMethod(bytes(text), envelope)).toBe('tools/call');
});

test('a batch is split into its messages as they are, and nothing else is', () => {
  const batch = ' [ {"a":"],["} , {"b":[1, 2]}] ';
  expect(splitBatch(bytes(batch), 2)?.map((part) => Buffer.from(part).toString())).toEqual([
    '{"a":"],["}',
    '{"b":[1, 2]}',
  ]);
  expect([
    splitBatch(bytes(batch), 1),
    ...['[]', '[1]', '[{}', '[{}]x', '{}', '[{},]'].map((text) => splitBatch(bytes(text), 9)),
  ]).toEqual(Array(7).fill(undefined));
});

test.each([
  ['{"jsonrpc":"2.0","id":7,"result":{"te', 'xt"}}', 7],
  [' { "id" : "a\\"b" , "result"', '}}', 'a"b'],
  ['{"result":{"content":[', '"}]},"jsonrpc":"2.0","id":8}', 8],
  ['{"result":{"content":[', '"}]},"id":9, "jsonrpc":"2.0" } ', 9],
  ['{"result":{"id":5', '"}]}}', undefined],
  ['xxxx', 'xxxx', undefined],
])('the id of a message that begins with %s and ends with %s', (head, tail, id) => {
  expect(guessId(bytes(head), bytes(tail))).toBe(id);
});

const kindName = fc.constantFrom('isError', 'resultType', 'is\\u0045rror', 'content', 'isErro', 'x"isError"');
const kindValue = fc.oneof(fc.boolean(), fc.constantFrom('input_required', 'isError', '}'), fc.jsonValue());
/** Results as texts, so that names can be spelt with escapes and stand twice. */
const resultText = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.array(fc.tuple(kindName, kindValue), { maxLength: 4 }).map((members) => {
    const texts = members.map(([name, value]) => `${spelt(name)}:${JSON.stringify(value)}`);
    return `{${texts.join(' , ')}}`;
  }),
);
const spelt = (name: string) => (name.includes('\\') ? `"${name}"` : JSON.stringify(name));

test('the members that tell the kind of a result are found with the envelope, as by a full decode', () => {
  fc.assert(
    fc.property(resultText, fc.constantFrom('', ' ', '\n'), (result, space) => {
      const raw = bytes(`{"jsonrpc":"2.0",${space}"result":${space}${result}${space},"id":1}`);
      const found = scanEnvelope(raw)?.resultKind;
      const parsed = JSON.parse(result);
      const names = [...result.matchAll(/[{,] ?("(?:[^"\\]|\\.)*") ?:/g)].map(([, name]) => JSON.parse(name as string));
      const isUnclear = ['isError', 'resultType'].some((name) => names.filter((other) => other === name).length > 1);
      // A name twice, or nested ones that look like it: whoever reads it decodes it.
      if (found === undefined) expect(isUnclear || !isObject(parsed)).toBe(true);
      else {
        const read = [...found].map(([name, { start, end }]) => [name, JSON.parse(raw.toString('utf8', start, end))]);
        const expected = Object.entries(parsed).filter(([name]) => name === 'isError' || name === 'resultType');
        expect(Object.fromEntries(read)).toEqual(Object.fromEntries(expected));
      }
    }),
    { numRuns: 2_000 },
  );
});

/** Where the brackets of a text are balanced again, by the rule: strings are skipped, everything else is counted. */
function bracketsEnd(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') {
      for (at += 1; text[at] !== '"'; at += 1) {
        if (at >= text.length) return -1;
        if (text[at] === '\\') at += 1;
      }
    } else if (text[at] === '{' || text[at] === '[') depth += 1;
    else if (text[at] === '}' || text[at] === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

test('an invalid result ends with its brackets, whatever it contains', () => {
  const piece = fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', ' ', 'x', '1', '"a":', '"isError":', 'true');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = `{"jsonrpc":"2.0","id":1,"result":{${pieces.join('')}}}`;
      const result = scanEnvelope(bytes(text))?.result;
      if (result) expect(result.end - result.start).toBe(bracketsEnd(text.slice(result.start)));
    }),
    { numRuns: 5_000 },
  );
});

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
