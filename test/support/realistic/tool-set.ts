import { SeededDraws } from './seeded-draws.ts';

type Json = Readonly<Record<string, unknown>>;

/** A tool as servers publish them, with arguments for it. */
export interface RealisticTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Json;
  /** Arguments that fit the schema. */
  readonly good: readonly Json[];
  /** Arguments of which one part does not fit, and where it stands. */
  readonly bad: readonly { readonly arguments: Json; readonly pointer: string }[];
}

/** A member of the arguments. */
interface Field {
  readonly name: string;
  readonly schema: Json;
  readonly good: readonly unknown[];
  /** Values that do not fit, with the place below the member that an error names. */
  readonly bad: readonly (readonly [value: unknown, below?: string])[];
  /** Schemas that it refers to. */
  readonly definitions?: Json;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** As many codes as there are currencies and countries together. */
const CODES = Array.from({ length: 420 }, (_, at) => `${letters[at % 26]}${letters[Math.floor(at / 26)]}${at % 10}`);

/** Texts with patterns of their own: no value of one fits another. Each tool has several, as real ones have. */
const PATTERNED: readonly Field[] = [
  text('owner', '^[a-z\\d](?:[a-z\\d-]{0,37})$', ['octo-cat', 'a1'], ['Octo Cat', '-x']),
  text('sha', '^[0-9a-f]{40}$', ['0123456789abcdef0123456789abcdef01234567'], ['HEAD', '0123']),
  text('channel_id', '^[CG][A-Z0-9]{8}$', ['C0ABCDEFG', 'GABCDEFGH'], ['general', 'c0abcdefg']),
  text('date', '^\\d{4}-\\d{2}-\\d{2}$', ['2026-11-17'], ['17.11.2026', '2026-1-1']),
  text('time_zone', '^[A-Z][a-z]+/[A-Za-z_]+$', ['Europe/Brussels', 'Asia/Ho_Chi_Minh'], ['UTC+1', 'europe/brussels']),
  text('arn', '^arn:aws:s3:::[a-z0-9.-]{3,63}$', ['arn:aws:s3:::my-bucket'], ['s3://my-bucket']),
  text('color', '^#[0-9a-fA-F]{6}$', ['#A0b1C2'], ['red', '#fff']),
  text('issue_key', '^[A-Z]{2,10}-[1-9]\\d{0,6}$', ['OPS-17'], ['ops-17', 'OPS-0']),
  text('person', '^[\\p{Lu}][\\p{L} .’-]{1,60}$', ['Łukasz Żółty', 'Анна', 'O’Neil'], ['x', '7 of 9']),
  text('hashtag', '^#[\\p{L}\\p{N}_]{2,30}$', ['#日本語', '#été_2026'], ['日本語', '# x']),
  text('phone', '^\\+[1-9]\\d{3,14}$', ['+3221234567'], ['02 123 45 67', '+0123']),
];

const OTHERS: readonly Field[] = [
  {
    name: 'state',
    schema: { enum: ['open', 'closed', 'all'], default: 'open' },
    good: ['open', 'all'],
    bad: [['Open']],
  },
  { name: 'currency', schema: { type: 'string', enum: CODES }, good: [CODES[0], CODES[419]], bad: [['EURO'], [7]] },
  {
    name: 'per_page',
    schema: { type: 'integer', minimum: 1, maximum: 100, description: 'Results per page' },
    good: [1, 100],
    bad: [[0], [101], [1.5], ['10']],
  },
  { name: 'amount', schema: { type: 'number', multipleOf: 0.01 }, good: [19.99, 0.07, 5], bad: [[0.005]] },
  {
    name: 'due',
    schema: { type: ['string', 'null'], format: 'date-time' },
    good: [null, '2026-11-17T08:00:00Z'],
    bad: [[7]],
  },
  {
    name: 'website',
    schema: { type: 'string', format: 'uri', maxLength: 60 },
    good: ['https://example.org'],
    bad: [['x'.repeat(61)]],
  },
  {
    name: 'labels',
    schema: { type: 'array', items: { type: 'string', pattern: '^[a-z][a-z0-9:-]*$' }, maxItems: 4, uniqueItems: true },
    good: [[], ['bug', 'area:api']],
    bad: [[['Bug'], '/0'], [['a', 'a']], [['a', 'b', 'c', 'd', 'e']]],
  },
  {
    name: 'filter',
    schema: {
      type: 'object',
      properties: {
        field: { type: 'string', pattern: '^[a-z_]+$' },
        operator: { enum: ['eq', 'ne', 'in'] },
        value: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'array', items: { type: 'string' } }] },
      },
      required: ['field', 'operator'],
      additionalProperties: false,
    },
    good: [
      { field: 'created_at', operator: 'eq', value: 3 },
      { field: 'tag', operator: 'in', value: ['a', 'b'] },
    ],
    bad: [
      [{ field: 'Tag', operator: 'eq' }, '/field'],
      [{ field: 'tag' }, '/operator'],
      [{ field: 'tag', operator: 'eq', value: null }, '/value'],
      [{ field: 'tag', operator: 'eq', values: 3 }, '/values'],
    ],
  },
  {
    name: 'content',
    schema: {
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'text' }, text: { type: 'string' } },
          required: ['kind', 'text'],
        },
        {
          type: 'object',
          properties: { kind: { const: 'file' }, path: { type: 'string', pattern: '^/[^\\0]+$' } },
          required: ['kind', 'path'],
        },
      ],
    },
    good: [
      { kind: 'text', text: 'hi' },
      { kind: 'file', path: '/tmp/x' },
    ],
    bad: [[{ kind: 'file', path: 'x' }], [{ kind: 'image' }]],
  },
  {
    name: 'headers',
    schema: {
      type: 'object',
      patternProperties: {
        '^x-[a-z-]+$': { type: 'string' },
        '^[A-Z][A-Za-z-]+$': { type: 'string', pattern: '^[ -~]*$' },
      },
      additionalProperties: false,
    },
    good: [{}, { 'x-request-id': '1', Accept: 'text/html' }],
    bad: [
      [{ 'x-a': 1 }, '/x-a'],
      [{ Accept: 'é' }, '/Accept'],
      [{ _: '1' }, '/_'],
    ],
  },
  {
    name: 'location',
    schema: { $ref: '#/$defs/location' },
    definitions: {
      location: {
        type: 'object',
        properties: { latitude: { $ref: '#/$defs/degrees' }, longitude: { $ref: '#/$defs/degrees' } },
        required: ['latitude', 'longitude'],
      },
      degrees: { type: 'number', minimum: -180, maximum: 180 },
    },
    good: [{ latitude: 50.8, longitude: 4.3 }],
    bad: [
      [{ latitude: 50.8 }, '/longitude'],
      [{ latitude: 50.8, longitude: 400 }, '/longitude'],
    ],
  },
  {
    name: 'query',
    schema: { $ref: '#/$defs/condition' },
    definitions: {
      condition: {
        type: 'object',
        properties: {
          and: { type: 'array', items: { $ref: '#/$defs/condition' } },
          term: { type: 'string', pattern: '^[^*]+$' },
        },
        additionalProperties: false,
      },
    },
    good: [{ term: 'a' }, { and: [{ term: 'a' }, { and: [{ term: 'b' }] }] }],
    bad: [
      [{ and: [{ and: [{ term: '*' }] }] }, '/and/0/and/0/term'],
      [{ or: [] }, '/or'],
    ],
  },
  // Members that every object inherits.
  { name: 'constructor', schema: { type: 'string' }, good: ['Renault'], bad: [[7]] },
];

/** Tools made from a seed, with the schemas that published servers have. */
export function toolSet(seed: number, toolCount = 50): RealisticTool[] {
  const draws = new SeededDraws(seed);
  return Array.from({ length: toolCount }, (_, index) => {
    const patterned = some(draws, PATTERNED, 2 + draws.below(3));
    const fields = [...patterned, ...some(draws, OTHERS, 1 + draws.below(4))];
    const required = fields.filter((_, at) => at === 0 || draws.chance(0.3)).map(({ name }) => name);
    const verb = draws.pick(['list', 'create', 'update', 'search', 'delete', 'export']);
    const noun = draws.pick(['issues', 'messages', 'invoices', 'events', 'files', 'contacts']);
    return {
      name: `${verb}_${noun}_${index}`,
      description: `${verb} ${noun} by ${fields.map(({ name }) => name.replaceAll('_', ' ')).join(', ')}.`,
      inputSchema: schemaOf(draws, fields, required),
      ...argumentsFor(fields, required),
    };
  });
}

function text(name: string, pattern: string, good: readonly string[], bad: readonly string[]): Field {
  return { name, schema: { type: 'string', pattern }, good, bad: [...bad.map((value) => [value] as const), [7]] };
}

function some<T>(draws: SeededDraws, list: readonly T[], count: number): T[] {
  const left = [...list];
  return Array.from({ length: count }, () => left.splice(draws.below(left.length), 1)[0] as T);
}

/** A third of the tools speak draft 7, whose definitions stand elsewhere. */
function schemaOf(draws: SeededDraws, fields: readonly Field[], required: readonly string[]): Json {
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]));
  const definitions = Object.assign({}, ...fields.map((field) => field.definitions ?? {}));
  const schema = {
    type: 'object',
    properties,
    required,
    ...(draws.chance(0.5) ? { additionalProperties: false } : {}),
    ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}),
  };
  const isOld = draws.chance(0.34);
  if (!isOld)
    return draws.chance(0.5) ? schema : { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema };
  const renamed = JSON.parse(JSON.stringify(schema).replaceAll('$defs', 'definitions')) as Json;
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...renamed };
}

function argumentsFor(fields: readonly Field[], required: readonly string[]): Pick<RealisticTool, 'good' | 'bad'> {
  const valueAt = ({ good }: Field, turn: number) => good[turn % good.length];
  const turns = Math.max(...fields.map(({ good }) => good.length));
  const all = (turn: number) => Object.fromEntries(fields.map((field) => [field.name, valueAt(field, turn)]));
  const least = Object.fromEntries(Object.entries(all(0)).filter(([name]) => required.includes(name)));
  return {
    good: [least, ...Array.from({ length: turns }, (_, turn) => all(turn))],
    bad: [
      ...required.map((name) => ({
        arguments: Object.fromEntries(Object.entries(all(0)).filter(([other]) => other !== name)),
        pointer: `/${name}`,
      })),
      ...fields.flatMap(({ name, bad }) =>
        bad.map(([value, below = '']) => ({ arguments: { ...all(0), [name]: value }, pointer: `/${name}${below}` })),
      ),
    ],
  };
}
