// How the cost of what others wrote grows with its size, beside the plain way of reading it: `npm run bench:parsers`.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { createTwoFilesPatch } from 'diff';
import { definitionDiff } from '../src/gateway/catalogue/definition-diff.ts';
import { parseChallenge } from '../src/host/oauth/challenge.ts';
import { ResponseParser } from '../src/host/transports/response-parser.ts';
import { scanHeaderDeclarations } from '../src/wire/param-headers.ts';
import { SseParser } from '../src/wire/sse-parser.ts';

const SIZES = [1, 10, 100] as const;
/** A way that would take longer at the next size is not run there. */
const NAIVE_MS_MAX = 500;
const ROUNDS_MS = 400;
const ROUNDS_MIN = 50;
/** What takes longer is measured in fewer rounds. */
const SLOW_MS = 100;

interface Case {
  readonly name: string;
  /** Size of the input at 1×. */
  readonly size: string;
  /** Reads an input of so many times the size, by our way and by the plain one; both give what they read. */
  prepare(times: number): { readonly ours: () => unknown; readonly naive: () => unknown };
  readonly naive: string;
}

const cases: readonly Case[] = [
  {
    name: 'a definition of which every line changed',
    size: '30 properties, 1 KB',
    naive: 'a shortest diff',
    prepare(times) {
      const [before, after] = ['a', 'b'].map((letter) => schemaOf(letter, 30 * times));
      const lines = [before, after].map((definition) => `${JSON.stringify(definition, null, 2)}\n`);
      return {
        ours: () => definitionDiff(before, after, Number.POSITIVE_INFINITY).length > 0,
        naive: () =>
          createTwoFilesPatch('a', 'b', lines[0] as string, lines[1] as string, '', '', { context: 2 }) !== '',
      };
    },
  },
  {
    name: 'a head of fields of one name, at once',
    size: '160 B',
    naive: 'each further value copies those before it',
    prepare(times) {
      const fields = 19 * times;
      const head = `HTTP/1.1 204 No\r\n${'a:\r\n'.repeat(Math.min(fields, 1_990))}\r\n`;
      return { ours: () => fieldsOf([Buffer.from(head)]), naive: () => copiedFields([Buffer.from(head)]) };
    },
  },
  {
    name: 'a head that comes byte by byte',
    size: '160 B',
    naive: 'what came is joined and searched again',
    prepare(times) {
      const head = `HTTP/1.1 204 No\r\nx: ${'y'.repeat(160 * times - 40)}\r\n\r\n`;
      const pieces = [...head].map((character) => Buffer.from(character, 'latin1'));
      return { ours: () => fieldsOf(pieces), naive: () => copiedFields(pieces) };
    },
  },
  {
    name: 'a challenge that is one long word',
    size: '160 B',
    naive: 'a regular expression, tried at every character',
    prepare(times) {
      const header = `Bearer scope="a", ${'x'.repeat(160 * times - 30)}`;
      return { ours: () => parseChallenge(header).scope, naive: () => challengeByExpression(header) };
    },
  },
  {
    name: 'an event stream whose lines end in CR',
    size: '1 KB',
    naive: 'both line ends are looked for in every line',
    prepare(times) {
      const stream = Buffer.from('data\r'.repeat(200 * times));
      return { ours: () => eventsOf(stream), naive: () => linesByBothEnds(stream) };
    },
  },
  {
    name: 'a schema that declares headers',
    size: '100 headers',
    naive: 'each is compared with all before it',
    prepare(times) {
      const entries = Array.from({ length: 100 * times }, (_, at) => [
        `p${at}`,
        { type: 'string', 'x-mcp-header': `Header-${at}` },
      ]);
      const schema = { properties: Object.fromEntries(entries) };
      const headers = entries.map((_, at) => `Header-${at}`);
      return { ours: () => scanHeaderDeclarations(schema).valid, naive: () => areAllDifferent(headers) };
    },
  },
];

console.log('| input | size at 1× | ours, ms at 1× / 10× / 100× | growth | plain way, ms | growth | plain way |');
console.log('|---|---|--:|--:|--:|--:|---|');
for (const { name, size, naive, prepare } of cases) {
  const ours: number[] = [];
  const plain: number[] = [];
  for (const times of SIZES) {
    const ways = prepare(times);
    const isTooSlow = (plain.at(-1) ?? 0) * 100 > NAIVE_MS_MAX * 10;
    if (!isTooSlow) assert.deepEqual(ways.ours(), ways.naive());
    ours.push(shortestMs(ways.ours));
    if (!isTooSlow) plain.push(shortestMs(ways.naive));
  }
  const shown = (figures: readonly number[]) => figures.map((ms) => ms.toFixed(ms < 1 ? 3 : 1)).join(' / ');
  const growth = (figures: readonly number[]) =>
    figures
      .slice(1)
      .map((ms, at) => `${(ms / (figures[at] as number)).toFixed(1)}×`)
      .join(', ');
  const left = plain.length < SIZES.length ? ' / not run' : '';
  console.log(
    `| ${name} | ${size} | ${shown(ours)} | ${growth(ours)} | ${shown(plain)}${left} | ${growth(plain)} | ${naive} |`,
  );
}

/** The shortest of as many rounds as fit into a moment, after some that warm up: other programs only make rounds longer. */
function shortestMs(run: () => unknown): number {
  for (let round = 0; round < 3; round += 1) run();
  let shortest = Number.POSITIVE_INFINITY;
  const began = performance.now();
  let rounds = 0;
  do {
    rounds += 1;
    const start = performance.now();
    run();
    shortest = Math.min(shortest, performance.now() - start);
  } while (performance.now() - began < ROUNDS_MS || (rounds < ROUNDS_MIN && shortest < SLOW_MS));
  return shortest;
}

function schemaOf(letter: string, count: number): object {
  const properties = Array.from({ length: count }, (_, at) => [
    `${letter}${at}`,
    { type: 'string', title: `${letter}${at}` },
  ]);
  return { name: 'tool', inputSchema: { type: 'object', properties: Object.fromEntries(properties) } };
}

function fieldsOf(pieces: readonly Buffer[]): number {
  const parser = new ResponseParser();
  let count = 0;
  parser.begin({
    onHead: (_status, headers) => {
      count = Object.values(headers).flat().length;
    },
    onBody() {},
    onEnd() {},
  });
  for (const piece of pieces) parser.push(piece);
  return count;
}

function copiedFields(pieces: readonly Buffer[]): number {
  let came = Buffer.alloc(0);
  for (const piece of pieces) {
    came = Buffer.concat([came, piece]);
    if (!came.includes('\r\n\r\n')) continue;
    const headers: Record<string, string[]> = Object.create(null);
    for (const line of came.toString('latin1').split('\r\n').slice(1, -2)) {
      const [name = '', value = ''] = line.split(':');
      headers[name] = [...(headers[name] ?? []), value];
    }
    return Object.values(headers).flat().length;
  }
  return 0;
}

function challengeByExpression(header: string): string | undefined {
  const parameter = /([a-zA-Z0-9_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;
  return [...header.matchAll(parameter)].find(([, name]) => name === 'scope')?.[2];
}

function eventsOf(stream: Buffer): number {
  let events = 0;
  const parser = new SseParser({
    eventBytesMax: stream.length,
    onEvent: () => {
      events += 1;
    },
  });
  parser.push(stream);
  return events;
}

function linesByBothEnds(stream: Buffer): number {
  let lines = 0;
  for (let start = 0; start < stream.length; lines += 1) {
    const ends = [stream.indexOf(0x0d, start), stream.indexOf(0x0a, start)].filter((end) => end >= 0);
    if (ends.length === 0) break;
    start = Math.min(...ends) + 1;
  }
  // Lines of data without an empty one behind them are no event.
  return lines > 0 ? 0 : -1;
}

function areAllDifferent(headers: readonly string[]): boolean {
  const found: string[] = [];
  for (const header of headers) {
    if (found.some((other) => other.toLowerCase() === header.toLowerCase())) return false;
    found.push(header);
  }
  return true;
}
