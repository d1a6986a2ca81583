import { BinderyError } from '../../contract/errors.ts';
import { issueSentence } from '../../contract/execute.ts';
import { isObject } from '../../contract/json.ts';
import { pointerTo } from '../../contract/json-pointer.ts';
import type { InputIssue } from '../../contract/operation.ts';
import { compileSchema, type JudgeBySchema } from '../schema/compile-schema.ts';
import type { Failure, Schema } from '../schema/schema-run.ts';
import type { UnjudgedReason } from '../schema/steps.ts';
import { BadSchema } from '../schema/value-keywords.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { NearestNames } from './words/nearest-names.ts';

/** The result of checking arguments against a tool's schema. */
export interface CheckedArguments {
  /** The errors, in words that let a model correct the arguments. */
  readonly issues: readonly InputIssue[];
  /** Why they were not fully checked, so that the server has to: `schema`: the schema is too large or cannot be used. */
  readonly unchecked?: UncheckedReason;
}

export type UncheckedReason = UnjudgedReason | 'schema';

/** Checks arguments of calls against the tools' schemas; caches compiled schemas (LRU). */
export class ArgumentValidator {
  readonly #compiled = new Map<Schema, JudgeBySchema | undefined>();
  readonly #keptMax: number;

  constructor(keptMax: number = SEARCH_LIMITS.compiledSchemasMax) {
    this.#keptMax = keptMax;
  }

  check(schema: Schema, args: unknown): CheckedArguments {
    const judge = this.#compile(schema);
    if (judge === undefined) return { issues: [], unchecked: 'schema' };
    const { failures, unjudged } = judge(args, SEARCH_LIMITS.argumentErrorsMax);
    return { issues: issuesOf(failures), ...(unjudged ? { unchecked: unjudged } : {}) };
  }

  /** The error of a call with invalid arguments. */
  refusal(tool: string, issues: readonly InputIssue[]): BinderyError {
    return new BinderyError('INVALID_ARGUMENTS', {
      detail: `The arguments for ${tool} do not fit its input schema. ${issueSentence(issues)}`,
      members: { errors: issues },
      next: 'Correct the arguments that the errors name and call the tool again; it was not called.',
    });
  }

  #compile(schema: Schema): JudgeBySchema | undefined {
    const judge = this.#compiled.has(schema) ? this.#compiled.get(schema) : compile(schema);
    this.#compiled.delete(schema);
    this.#compiled.set(schema, judge);
    const oldest = this.#compiled.keys().next().value;
    if (this.#compiled.size > this.#keptMax && oldest !== undefined) this.#compiled.delete(oldest);
    return judge;
  }
}

/** Undefined if the schema cannot be compiled (an external reference, a mistake): then its server has to enforce it. */
function compile(schema: Schema): JudgeBySchema | undefined {
  if (JSON.stringify(schema).length > SEARCH_LIMITS.schemaCharsMax) return undefined;
  const isOlder = typeof schema.$schema === 'string' && /draft-0[4-7]/.test(schema.$schema);
  try {
    return compileSchema(schema, { dialect: isOlder ? 'draft-07' : '2020-12', unusablePatterns: 'leave' });
  } catch (thrown) {
    // A schema may also be nested deeper than the stack.
    if (thrown instanceof BadSchema || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function issuesOf(failures: readonly Failure[]): InputIssue[] {
  const issues = new Map<string, InputIssue>();
  for (const failure of failures) {
    const issue = { pointer: pointerOf(failure), keyword: failure.keyword, message: messageOf(failure) };
    issues.set(`${issue.pointer} ${issue.message}`, issue);
  }
  return [...issues.values()];
}

/** Points at the missing or disallowed member itself. */
function pointerOf({ pointer, member }: Failure): string {
  return member === undefined ? pointer : `${pointer}${pointerTo(member)}`;
}

function messageOf({ keyword, schema, value, member = '', message }: Failure): string {
  switch (keyword) {
    case 'required':
      return `is required${described(propertySchema(schema, member))}`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownMember(member, schema, value);
    case 'type':
      return `must be ${[schema.type].flat().join(' or ')}, but is ${typeName(value)}${described(schema)}`;
    case 'enum':
      return `must be one of ${(schema.enum as unknown[])
        .slice(0, VALUES_SHOWN_MAX)
        .map((allowed) => JSON.stringify(allowed))
        .join(', ')}, but is ${shown(value)}`;
    case 'const':
      return `must be ${JSON.stringify(schema.const)}, but is ${shown(value)}`;
    case 'pattern':
      return `must match the pattern ${schema.pattern}, but is ${shown(value)}`;
    case 'anyOf':
    case 'oneOf':
      return `must match ${keyword === 'oneOf' ? 'exactly one' : 'one'} of: ${alternatives(schema[keyword])}, but is ${shown(value)}`;
    default:
      return `${message}, but is ${shown(value)}`;
  }
}

const VALUES_SHOWN_MAX = 30;
const SHOWN_CHARS_MAX = 60;

function unknownMember(name: string, schema: unknown, holder: unknown): string {
  const known = Object.keys(isObject(schema) && isObject(schema.properties) ? schema.properties : {});
  const free = known.filter((member) => !isObject(holder) || !Object.hasOwn(holder, member));
  if (free.length === 0) return 'is not a member of the schema; leave it out';
  const members = free.slice(0, VALUES_SHOWN_MAX).join(', ');
  return `is not a member of the schema; did you mean ${new NearestNames(free).find(name, 1)[0]}? Members not yet given: ${members}`;
}

function alternatives(schema: unknown): string {
  if (!Array.isArray(schema)) return 'the alternatives';
  return schema
    .slice(0, VALUES_SHOWN_MAX)
    .map((one) => {
      if (!isObject(one)) return 'any';
      if (Array.isArray(one.required)) return `object with ${one.required.join(', ')}`;
      if ('const' in one) return JSON.stringify(one.const);
      if (Array.isArray(one.enum)) return one.enum.map((value) => JSON.stringify(value)).join(' | ');
      return [one.type ?? one.$ref ?? 'another schema'].flat().join(' | ');
    })
    .join('; ');
}

function described(schema: unknown): string {
  if (!isObject(schema)) return '';
  const type = typeof schema.type === 'string' ? ` (${schema.type})` : '';
  return typeof schema.description === 'string' ? `${type}: ${schema.description.slice(0, 200)}` : type;
}

function propertySchema(schema: unknown, name: string): unknown {
  return isObject(schema) && isObject(schema.properties) && Object.hasOwn(schema.properties, name)
    ? schema.properties[name]
    : undefined;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
}
