// How the cost of reading untrusted input grows with its size, compared with the plain way: `npm run bench:parsers`.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createTwoFilesPatch } from 'diff';
import { createRedactor, type Redactor } from '../src/contract/redact.ts';
import { shownArguments } from '../src/contract/shown-arguments.ts';
import { definitionDiff } from '../src/gateway/catalogue/definition-diff.ts';
import { compileSchema } from '../src/gateway/schema/compile-schema.ts';
import { linearPattern } from '../src/gateway/schema/linear-pattern.ts';
import { StepBudget } from '../src/gateway/schema/steps.ts';
import { parseChallenge } from '../src/host/oauth/challenge.ts';
import { compileGlob } from '../src/host/permissions/glob.ts';
import { ResponseParser } from '../src/host/transports/response-parser.ts';
import { oversizedArguments } from '../src/proxy/message/argument-bounds.ts';
import { scanHeaderDeclarations } from '../src/wire/param-headers.ts';
import { SseParser } from '../src/wire/sse-parser.ts';

const SIZES = [1, 10, 100] as const;
/** A way that would take longer at the next size is not run there. */
const NAIVE_MS_MAX = 500;
const ROUNDS_MS = 400;
const ROUNDS_MIN = 50;
/** A slower way is measured in fewer rounds. */
const SLOW_MS = 100;
const OVERFLOW = Symbol('overflow');

interface Case {
  readonly name: string;
  /** Size of the input at 1×. */
  readonly size: string;
  /** Reads an input of `times` the size, by our way and by the plain one; both return the result. */
  prepare(times: number): { readonly ours: () => unknown; readonly naive: () => unknown };
  readonly naive: string;
}

const LEAVE = { dialect: '2020-12', unusablePatterns: 'leave' } as const;
const PLAIN = { strict: false, validateSchema: false, validateFormats: false, meta: false } as const;
const NINE = Array.from({ length: 9 }, (_, at) => [`n${at}`, at] as const);

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
  {
    name: 'a text that nearly fits `^([a-z0-9]+-?)+$`',
    size: '26 letters',
    naive: "the language's own engine, which tries every way",
    prepare(times) {
      const [source, text] = ['^([a-z0-9]+-?)+$', `${'a'.repeat(26 * times)}!`];
      const expression = new RegExp(source, 'u');
      const budget = new StepBudget(Number.POSITIVE_INFINITY);
      return { ours: () => linearPattern(source).test(text, budget), naive: () => expression.test(text) };
    },
  },
  {
    name: 'as many items as an enum has values',
    size: '90 of each',
    naive: 'Ajv compares each item with each value',
    prepare(times) {
      const values = Array.from({ length: 90 * times }, (_, at) => `value-${at}`);
      return bySchema({ items: { enum: values } }, values);
    },
  },
  {
    name: 'objects that must differ',
    size: '20 objects',
    naive: 'Ajv compares each with each other',
    prepare(times) {
      const values = Array.from({ length: 20 * times }, (_, at) => ({ at, list: [at, `${at}`] }));
      return bySchema({ uniqueItems: true }, values);
    },
  },
  {
    name: 'a schema that is compiled, and judges once',
    size: '20 properties, 600 B',
    naive: 'Ajv, which writes a program for it',
    prepare(times) {
      const names = Array.from({ length: 20 * times }, (_, at) => [`property${at}`, { type: 'string', minLength: 1 }]);
      const schema = { type: 'object', properties: Object.fromEntries(names) };
      const args = { property0: 'x' };
      return {
        ours: () => compileSchema(schema, LEAVE)(args, 1).failures.length === 0,
        naive: () => new Ajv2020(PLAIN).compile(schema)(args),
      };
    },
  },
  {
    name: 'members of arguments, counted',
    size: '200 members',
    naive: 'the names of each object are copied to those before',
    prepare(times) {
      const entries = Array.from({ length: 20 * times }, (_, at) => [`m${at}`, Object.fromEntries(NINE)]);
      const args = Object.fromEntries(entries) as Record<string, object>;
      const byCopies = () => Object.values(args).reduce<string[]>((all, part) => all.concat(Object.keys(part)), []);
      return { ours: () => oversizedArguments(args) === undefined, naive: () => byCopies().length < 20_000 };
    },
  },
  {
    name: 'names that look alike where they are shown',
    size: '100 names',
    naive: 'each counts from two',
    prepare(times) {
      const names = Array.from({ length: 100 * times }, (_, at) => [`secret-${String(at).padStart(5, '0')}`, 1]);
      const mask = (text: string) => text.replace(/secret-\d+/, '***');
      const args = Object.fromEntries(names) as object;
      return {
        ours: () => Object.keys(shownArguments(args, mask).value as object).length,
        naive: () => namesFromTwo(Object.keys(args).map(mask)),
      };
    },
  },
  {
    name: 'arguments masked for an approver',
    size: '150 members',
    naive: 'each of 15 secrets is looked for by itself',
    prepare: (times) => byMasking(times, (args, { known }) => shownArguments(args, known).value),
  },
  {
    name: 'arguments masked for the record',
    size: '150 members',
    naive: 'each of 15 secrets is looked for by itself',
    prepare: (times) => byMasking(times, (args, { value }) => value(args)),
  },
  {
    name: 'a schema that is compiled, and judges all its properties',
    size: '15 properties, 450 B',
    naive: 'Ajv, which writes a program for it',
    prepare(times) {
      const names = Array.from({ length: 15 * times }, (_, at) => `property${at}`);
      const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', minLength: 1 }]));
      const schema = { type: 'object', properties, additionalProperties: false };
      const args = Object.fromEntries(names.map((name) => [name, 'x']));
      return {
        ours: () => compileSchema(schema, LEAVE)(args, 1).failures.length === 0,
        naive: () => new Ajv2020(PLAIN).compile(schema)(args),
      };
    },
  },
  {
    name: 'a permission glob of three stars',
    size: '40 letters',
    naive: 'a regular expression',
    prepare(times) {
      const name = 'a'.repeat(40 * times);
      const glob = compileGlob('*a*a*a*b');
      return { ours: () => glob(name), naive: () => /^[^/]*a[^/]*a[^/]*a[^/]*b$/su.test(name) };
    },
  },
];

console.log('| input | size at 1× | ours, ms at 1× / 10× / 100× | growth | plain way, ms | growth | plain way |');
console.log('|---|---|--:|--:|--:|--:|---|');
/** A part of a name on the command line runs only matching inputs. */
const [part = ''] = process.argv.slice(2);
for (const { name, size, naive, prepare } of cases.filter((one) => one.name.includes(part))) {
  const ours: number[] = [];
  const plain: number[] = [];
  let left = '';
  for (const times of SIZES) {
    const ways = prepare(times);
    if (left === '' && (plain.at(-1) ?? 0) * 100 > NAIVE_MS_MAX * 10) left = ' / not run';
    const expected = left === '' ? answerOf(ways.naive) : undefined;
    if (expected === OVERFLOW) left = ' / overflows';
    if (left === '') assert.deepEqual(ways.ours(), expected);
    ours.push(shortestMs(ways.ours));
    if (left === '') plain.push(shortestMs(ways.naive));
  }
  const shown = (figures: readonly number[]) => figures.map((ms) => ms.toFixed(ms < 1 ? 3 : 1)).join(' / ');
  const growth = (figures: readonly number[]) =>
    figures
      .slice(1)
      .map((ms, at) => `${(ms / (figures[at] as number)).toFixed(1)}×`)
      .join(', ');
  console.log(
    `| ${name} | ${size} | ${shown(ours)} | ${growth(ours)} | ${shown(plain)}${left} | ${growth(plain)} | ${naive} |`,
  );
}

/** The result of a way, or a note that the stack overflowed. */
function answerOf(way: () => unknown): unknown {
  try {
    return way();
  } catch (thrown) {
    if (thrown instanceof RangeError) return OVERFLOW;
    throw thrown;
  }
}

/** Members of which every tenth contains one of 15 secrets. */
function byMasking(
  times: number,
  mask: (args: Readonly<Record<string, string>>, redactor: Redactor) => unknown,
): ReturnType<Case['prepare']> {
  const secrets = Array.from({ length: 15 }, (_, at) => `hidden-${at}-value`);
  const redactor = createRedactor(secrets);
  const text = (at: number) => (at % 10 === 0 ? `uses ${secrets[at % secrets.length]} here` : `plain words ${at}`);
  const entries = Array.from({ length: 150 * times }, (_, at) => [`member${at}`, text(at)] as const);
  const args = Object.fromEntries(entries);
  const maskEach = (given: string) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), given);
  return {
    ours: () => mask(args, redactor),
    naive: () => Object.fromEntries(Object.entries(args).map(([name, given]) => [name, maskEach(given)])),
  };
}

function bySchema(schema: object, value: unknown): ReturnType<Case['prepare']> {
  const judge = compileSchema(schema, LEAVE);
  const plainly = new Ajv2020({ ...PLAIN, allErrors: true }).compile(schema);
  assert.equal(judge(value, 1).unjudged, undefined);
  return { ours: () => judge(value, 1).failures.length === 0, naive: () => plainly(value) };
}

function namesFromTwo(names: readonly string[]): number {
  const used = new Set<string>();
  for (const name of names) {
    let free = name;
    for (let count = 2; used.has(free); count += 1) free = `${name} (${count})`;
    used.add(free);
  }
  return used.size;
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
  // Lines of data without an empty line after them are not an event.
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
