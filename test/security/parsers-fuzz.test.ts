import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteParts } from '../../src/contract/byte-parts.ts';
import { indentedLines } from '../../src/gateway/catalogue/indented-json.ts';
import { lineDiff } from '../../src/gateway/catalogue/line-diff.ts';
import { parseChallenge } from '../../src/host/oauth/challenge.ts';
import { MalformedResponse, ResponseParser } from '../../src/host/transports/response-parser.ts';
import { readChallenge } from '../naive/bearer-challenge.ts';
import { type ReadResponse, readResponse } from '../naive/http-response.ts';

/** How many inputs each parser gets; a release is tried with 100,000. */
const numRuns = Number(process.env.PARSER_FUZZ_INPUTS ?? 2_000);
const timeout = 60_000 + numRuns * 10;

/** What our parser makes of bytes that come in these parts, and then the end of the connection; undefined: it refuses them. */
function parsed(parts: readonly string[]): ReadResponse | undefined {
  const parser = new ResponseParser();
  let response: ReadResponse = { status: 0, headers: {}, body: '', complete: false };
  parser.begin({
    onHead: (status, headers) => {
      response = { ...response, status, headers: { ...headers } };
    },
    onBody: (chunk) => {
      response = { ...response, body: response.body + chunk.toString('latin1') };
    },
    onEnd: () => {
      response = { ...response, complete: true };
    },
  });
  try {
    for (const part of parts) parser.push(Buffer.from(part, 'latin1'));
    parser.finish();
    return response;
  } catch (thrown) {
    if (!(thrown instanceof MalformedResponse)) throw thrown;
    return undefined;
  }
}

const cuts = fc.array(fc.nat(400), { maxLength: 8 });

function inParts(text: string, at: readonly number[]): string[] {
  const ends = [...new Set(at.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((start, index) => text.slice(start, ends[index] ?? text.length));
}

const responsePieces = fc.constantFrom(
  ...[
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.0 200 \r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 204 No\r\n',
    'HTTP/1.1 101 U',
  ],
  ...['content-length: 3\r\n', 'content-length:3,3 \r\n', 'Content-Length: 0\r\n', 'content-length: -3\r\n'],
  ...[
    'transfer-encoding: chunked\r\n',
    'transfer-encoding: gzip\r\n',
    'connection: close\r\n',
    'x:\xa0y\t \r\n',
    'x: z\r\n',
  ],
  ...[
    '\r\n',
    '\r\n\r\n',
    '\n',
    '\r',
    ' ',
    ':',
    'abc',
    '3\r\nabc\r\n',
    '1;a=b\r\nx\r\n',
    '0\r\n\r\n',
    '0\r\nt: 1\r\n\r\n',
    '0\r\nt\r\n\r\n',
  ],
  ...['ffffffffff\r\n', 'G\r\n', '\0', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'],
);
/** Mostly what could be a response; now and then anything. */
const responses = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(responsePieces, { maxLength: 12 }).map((pieces) => `HTTP/1.1 200 OK\r\n${pieces.join('')}`),
  },
  { weight: 2, arbitrary: fc.array(responsePieces, { maxLength: 12 }).map((pieces) => pieces.join('')) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(20), fc.array(responsePieces, { maxLength: 4 }))
      .map(([interim, pieces]) => `${'HTTP/1.1 103 Early\r\na: b\r\n\r\n'.repeat(interim)}${pieces.join('')}`),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 80 }) },
);

test(
  'a response means what it means read as a whole, however it is cut',
  () => {
    fc.assert(
      fc.property(responses, cuts, (text, at) => {
        expect(parsed(inParts(text, at))).toEqual(readResponse(text));
      }),
      { numRuns },
    );
  },
  timeout,
);

const challengePieces = fc.constantFrom(
  ...[
    'Bearer ',
    'bearer',
    'DPoP ',
    'Basic ',
    'Negotiate abc==',
    ', ',
    ',',
    ' ',
    '\t',
    '=',
    ' = ',
    '"',
    '\\',
    '\\"',
    'é',
  ],
  ...[
    'scope="a b"',
    'scope=a',
    'error="x"',
    'error=',
    'resource_metadata="https://x/y"',
    'realm="a, Bearer scope=\\"no\\""',
  ],
  ...['scope', 'a', 'Bearer scope="first", scope="second"', 'scope = "s"', '__proto__=x', 'error="unfinished'],
);

test(
  'a challenge means what it means to a slow reader',
  () => {
    fc.assert(
      fc.property(fc.array(challengePieces, { maxLength: 14 }), (pieces) => {
        const header = pieces.join('');
        expect(parseChallenge(header)).toEqual(readChallenge(header));
      }),
      { numRuns },
    );
  },
  timeout,
);

const lines = fc.array(fc.oneof(fc.constantFrom('{', '},', '}', '  "type": "string"'), fc.string({ maxLength: 2 })), {
  maxLength: 40,
});
/** A text and what became of it: some lines removed, added or changed. */
const edits = fc
  .tuple(
    lines,
    fc.array(fc.tuple(fc.nat(40), fc.nat(4), fc.array(fc.string({ maxLength: 3 }), { maxLength: 4 })), {
      maxLength: 4,
    }),
  )
  .map(([before, changes]) => {
    const after = [...before];
    for (const [at, removed, added] of changes) after.splice(at % (after.length + 1), removed, ...added);
    return [before, after] as const;
  });

test(
  'a diff, applied to the text before, gives the text after',
  () => {
    const text = (of: readonly string[]) => of.map((line) => `${line}\n`).join('');
    fc.assert(
      fc.property(fc.oneof(fc.tuple(lines, lines), edits), ([before, after]) => {
        const [old, now] = [before, after].map((list) => list.map((line) => line.replaceAll(/[\r\n\\]/g, ' '))) as [
          string[],
          string[],
        ];
        const diff = lineDiff(old, now, Number.POSITIVE_INFINITY);
        expect(applyPatch(text(old), `--- a\n+++ b\n${diff}`)).toBe(text(now));
        expect(diff === '').toBe(text(old) === text(now));
      }),
      { numRuns },
    );
  },
  timeout,
);

test(
  'lines of JSON are those of JSON.stringify; a text that was cut has the same beginning',
  () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(200), (value, end) => {
        const json = JSON.stringify(value);
        const all = indentedLines(json, 100);
        expect(all.join('\n')).toBe(JSON.stringify(value, null, 2));
        const cut = indentedLines(json.slice(0, end), 100);
        expect(all.slice(0, Math.max(0, cut.length - 2))).toEqual(cut.slice(0, -2));
      }),
      { numRuns },
    );
  },
  timeout,
);

test(
  'bytes in parts are the bytes one after the other, and few buffers are kept for them',
  () => {
    const parts = fc.array(fc.uint8Array({ maxLength: 3 }), { maxLength: 900, size: 'max' });
    fc.assert(
      fc.property(parts, fc.constantFrom('', '\n', ', '), (pieces, separator) => {
        const kept = new ByteParts(Buffer.from(separator));
        for (const piece of pieces) kept.push(piece);
        expect(kept.kept).toBeLessThan(256 + pieces.length / 200);
        const joined = pieces.map((piece) => Buffer.from(piece).toString('latin1')).join(separator);
        expect([kept.take().toString('latin1'), kept.take().length]).toEqual([joined, 0]);
      }),
      { numRuns: Math.ceil(numRuns / 20) },
    );
  },
  timeout,
);
