import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyOperation, HttpFace } from '../../src/contract/operation.ts';
import { coerceTexts, inputSchemaOf } from '../../src/contract/text-input.ts';

export type Input = Record<string, unknown>;

export interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Inputs of operations whose schemas ask for more than a type can say. */
const SAMPLES: Readonly<Record<string, Input>> = {
  'civic.move_test_clock': { now: '2026-01-02T03:04:05Z' },
  'gateway.register': { name: 'sample', endpoint: 'https://sample.example/mcp', transport: 'http' },
  'gateway.accept_tool': { name: 'sample', definition_sha256: '0'.repeat(64) },
  'gateway.accept_server': { id: 'sample', definitions: [{ tool: 'sample', sha256: '0'.repeat(64) }] },
};

/** An input that the operation accepts: with all members where it accepts them together, else with those that it requires. */
export function sampleInput(operation: AnyOperation): Input {
  const schema = inputSchemaOf(operation.input) as Schema;
  const everything = { ...schema, required: Object.keys(schema.properties ?? {}) };
  const accepted = [SAMPLES[operation.id], sample(everything), sample(schema)].find(
    (input) => input !== undefined && operation.input.safeParse(input).success,
  );
  if (!accepted) throw new Error(`${operation.id} needs a sample of its own`);
  return accepted as Input;
}

/** The sample with one text in it that the operation refuses; undefined where every text is accepted. */
export function badTextFor(operation: AnyOperation): Input | undefined {
  const schema = inputSchemaOf(operation.input);
  for (const [name, { type }] of Object.entries(schema.properties)) {
    // A switch of a command carries no text.
    if (type === 'boolean' && operation.cli) continue;
    const bad = { ...sampleInput(operation), ...coerceTexts(schema, { [name]: 'no such value' }) };
    if (!operation.input.safeParse(bad).success) return bad;
  }
  return undefined;
}

/** Parameters of paths that have another name than their member of the input. */
const PATH_MEMBERS: Readonly<Record<string, string>> = { '/v1/context/caches/{name}': 'cache' };

/** The request that carries this input: path, then the rest in the body or in the query. */
export function requestFor(face: HttpFace<unknown, unknown>, input: Input): { path: string; init: RequestInit } {
  const rest = { ...input };
  const path = face.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const member = PATH_MEMBERS[face.path] ?? name;
    const value = rest[member];
    delete rest[member];
    return encodeURIComponent(String(value));
  });
  const headers = new Headers({ 'content-type': 'application/json' });
  for (const [name, header] of Object.entries(face.headers ?? {})) {
    if (rest[name] !== undefined) headers.set(header, String(rest[name]));
    delete rest[name];
  }
  const { method } = face;
  if (method === 'GET' || method === 'DELETE') return { path: `${path}?${queryOf(rest)}`, init: { method, headers } };
  if (face.body === undefined) return { path, init: { method, headers, body: JSON.stringify(rest) } };
  const { [face.body]: body, ...query } = rest;
  return { path: `${path}?${queryOf(query)}`, init: { method, headers, body: JSON.stringify(body) } };
}

/** The command line that carries this input; files that it names are written into the folder. */
export function argvFor({ cli }: AnyOperation, input: Input, folder: string, ...more: string[]): string[] {
  const { command, positional = [], files = [], flags = {} } = cli || { command: '' };
  const argv = command.split(' ');
  const texts = (name: string) =>
    (Array.isArray(input[name]) ? (input[name] as unknown[]) : [input[name]]).map((value) => {
      if (!files.includes(name)) return typeof value === 'object' ? JSON.stringify(value) : String(value);
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(value));
      return file;
    });
  for (const name of Object.keys(input)) {
    if (positional.includes(name)) continue;
    const flag = `--${(flags[name] ?? name).replaceAll('_', '-')}`;
    if (input[name] === true) argv.push(flag);
    else for (const text of texts(name)) argv.push(`${flag}=${text}`);
  }
  return [...argv, ...more, '--', ...positional.filter((name) => name in input).flatMap(texts)];
}

function queryOf(members: Input): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      query.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item));
    }
  }
  return query;
}

/** A value of the types that a schema asks for. */
export function sample(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first) return sample(first);
  switch (schema.type) {
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [sample(schema.items ?? {})];
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {})]));
    default:
      return 'sample';
  }
}
