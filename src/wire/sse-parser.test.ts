import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SseEventTooLarge, SseParser } from './sse-parser.ts';

interface Seen {
  events: { type: string; data: string; id: string | undefined }[];
  retries: number[];
  lastEventId: string | undefined;
}

function parse(chunks: readonly Uint8Array[]): Seen {
  const seen: Seen = { events: [], retries: [], lastEventId: undefined };
  const parser = new SseParser({
    onEvent: (event) => seen.events.push({ ...event, data: Buffer.from(event.data).toString() }),
    onRetry: (retryMs) => seen.retries.push(retryMs),
    eventBytesMax: 1000,
  });
  for (const chunk of chunks) parser.push(chunk);
  return { ...seen, lastEventId: parser.lastEventId };
}

/** The naive second reading: the whole text at once, line by line. */
function parseNaively(text: string): Seen {
  const seen: Seen = { events: [], retries: [], lastEventId: undefined };
  let data: string[] = [];
  let type = '';
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      const joined = data.join('\n');
      if (joined !== '') seen.events.push({ type: type || 'message', data: joined, id: seen.lastEventId });
      data = [];
      type = '';
      continue;
    }
    const [, field, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value ?? '');
    if (field === 'event') type = value ?? '';
    if (field === 'id' && !(value ?? '').includes('\0')) seen.lastEventId = value ?? '';
    if (field === 'retry' && /^\d{1,9}$/.test(value ?? '')) seen.retries.push(Number(value));
  }
  return seen;
}

const piece = fc.constantFrom(
  'data',
  'event',
  'id',
  'retry',
  ':',
  ': ',
  ' ',
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '12',
  'é',
  '{"a":1}',
  '\uFEFF',
  '\0',
  'x',
);

test('events are the same however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(60), { maxLength: 6 }), (pieces, cuts) => {
      const text = `${pieces.join('')}`;
      const whole = Buffer.from(text);
      const marks = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length];
      const chunks = marks.slice(1).map((end, index) => whole.subarray(marks[index], end));
      expect(parse(chunks)).toEqual(parse([whole]));
    }),
    { numRuns: Number(process.env.PARSER_FUZZ_INPUTS ?? 500) },
  );
});

test('events are those of a naive reading of the whole text', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      // A text that ends in CR is still undecided between CR and CRLF; both readings agree once a line follows.
      const text = `${pieces.join('')}\n\n`;
      expect(parse([Buffer.from(text)])).toEqual(parseNaively(text));
    }),
    { numRuns: Number(process.env.PARSER_FUZZ_INPUTS ?? 500) },
  );
});

test('an event that primes resumption is remembered and not dispatched', () => {
  expect(parse([Buffer.from('id: 7\nretry: 500\ndata:\n\n: keep-alive\n\n')])).toEqual({
    events: [],
    retries: [500],
    lastEventId: '7',
  });
});

test.each([
  ['in one line', (bytes: number) => [`data: ${'x'.repeat(bytes)}\n\n`]],
  ['in a line that comes in parts', (bytes: number) => ['\ufeffdata', ': ', 'x'.repeat(bytes - 5), 'xxxxx', '\n\n']],
  ['byte by byte', (bytes: number) => [...`data: ${'x'.repeat(bytes)}\r\n\r\n`]],
  ['in many lines', (bytes: number) => [`${'data: 123456789\n'.repeat(90)}data:${'x'.repeat(bytes - 900)}\n\n`]],
  ['in empty lines', (bytes: number) => [`${'data\n'.repeat(bytes)}data: \n\n`]],
])('an event of the largest size is whole and one of a byte more is refused, %s', (_how, parts) => {
  const bytesOf = (bytes: number) => parse(parts(bytes).map((part) => Buffer.from(part))).events[0]?.data.length;
  expect(bytesOf(1_000)).toBe(1_000);
  expect(() => bytesOf(1_001)).toThrow(SseEventTooLarge);
});

test('a line that does not end is refused', () => {
  expect(() => parse([Buffer.from('data: '), Buffer.from('x'.repeat(1_100))])).toThrow(SseEventTooLarge);
  expect(() => parse([Buffer.from(`${'x'.repeat(600)}`), Buffer.from('x'.repeat(600))])).toThrow(SseEventTooLarge);
});

test('an id that is too long to be sent back is as good as none', () => {
  const lastIdOf = (bytes: number) => parse([Buffer.from(`id: first\nid: ${'x'.repeat(bytes)}\n\n`)]).lastEventId;
  expect([lastIdOf(512)?.length, lastIdOf(513)]).toEqual([512, undefined]);
});
