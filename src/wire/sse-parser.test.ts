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
    { numRuns: 500 },
  );
});

test('events are those of a naive reading of the whole text', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      // A text that ends in CR is still undecided between CR and CRLF; both readings agree once a line follows.
      const text = `${pieces.join('')}\n\n`;
      expect(parse([Buffer.from(text)])).toEqual(parseNaively(text));
    }),
    { numRuns: 500 },
  );
});

test('an event that primes resumption is remembered and not dispatched', () => {
  expect(parse([Buffer.from('id: 7\nretry: 500\ndata:\n\n: keep-alive\n\n')])).toEqual({
    events: [],
    retries: [500],
    lastEventId: '7',
  });
});

test('an event over the limit is refused, in one line, in many lines, and before its line has ended', () => {
  const long = 'x'.repeat(1001);
  expect(() => parse([Buffer.from(`data: ${long}\n\n`)])).toThrow(SseEventTooLarge);
  expect(() => parse([Buffer.from(`${'data: 12345678\n'.repeat(200)}\n`)])).toThrow(SseEventTooLarge);
  expect(() => parse([Buffer.from('data: '), Buffer.from(long)])).toThrow(SseEventTooLarge);
});
