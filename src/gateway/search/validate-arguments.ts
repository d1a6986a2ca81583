import { createHash } from 'node:crypto';
import type { AnySchema, ErrorObject, ValidateFunction } from 'ajv';
import { BinderyError } from '../../contract/errors.ts';
import { issueSentence } from '../../contract/execute.ts';
import { lateLibrary } from '../../contract/late-library.ts';
import type { InputIssue } from '../../contract/operation.ts';
import { boundedPatterns } from './bounded-patterns.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { nearestNames } from './nearest-names.ts';
import { isSmallUnfolded } from './unfolded-schema.ts';

const ajv = lateLibrary<typeof import('ajv')>('ajv');
const ajv2020 = lateLibrary<typeof import('ajv/dist/2020.js')>('ajv/dist/2020.js');

type Schema = Readonly<Record<string, unknown>>;

/** Checks the arguments of calls against the tools' schemas; compiled schemas are kept, the least recently used go first. */
export class ArgumentValidator {
  readonly #compiled = new Map<string, ValidateFunction | undefined>();
  readonly #keptMax: number;

  constructor(keptMax: number = SEARCH_LIMITS.compiledSchemasMax) {
    this.#keptMax = keptMax;
  }

  /** What is wrong with the arguments, in words that let a model correct them; nothing where the schema itself cannot be used. */
  check(schema: Schema, args: unknown): InputIssue[] {
    const text = JSON.stringify(schema);
    if (text.length > SEARCH_LIMITS.schemaCharsMax || isComparedAtLength(text, args)) return [];
    const validate = this.#compile(schema, text);
    return validate === undefined ? [] : issuesOf(failuresOf(validate, args), args);
  }

  /** The error of a call whose arguments fail. */
  refusal(tool: string, issues: readonly InputIssue[]): BinderyError {
    return new BinderyError('INVALID_ARGUMENTS', {
      detail: `The arguments for ${tool} do not fit its input schema. ${issueSentence(issues)}`,
      members: { errors: issues },
      next: 'Correct the arguments that the errors name and call the tool again; it was not called.',
    });
  }

  #compile(schema: Schema, text: string): ValidateFunction | undefined {
    const key = createHash('sha256').update(text).digest('base64');
    const validate = this.#compiled.has(key) ? this.#compiled.get(key) : compile(schema, text);
    this.#compiled.delete(key);
    this.#compiled.set(key, validate);
    const oldest = this.#compiled.keys().next().value;
    if (this.#compiled.size > this.#keptMax && oldest !== undefined) this.#compiled.delete(oldest);
    return validate;
  }
}

/**
 * A schema can refer to itself without end, arguments can be nested as deep as the stack, and a pattern can be one that is not run
 * here: the server has to say what it wants.
 */
function failuresOf(validate: ValidateFunction, args: unknown): readonly ErrorObject[] {
  try {
    return validate(args) ? [] : (validate.errors ?? []);
  } catch (thrown) {
    if (thrown instanceof RangeError) return [];
    throw thrown;
  }
}

/** Items that must differ are compared each with each other: many of them are left to the server, which checks them anyway. */
function isComparedAtLength(schemaText: string, args: unknown): boolean {
  return schemaText.includes('"uniqueItems"') && JSON.stringify(args).length > SEARCH_LIMITS.comparedArgumentCharsMax;
}

/** A schema that cannot be compiled (a reference to elsewhere, a mistake) is its server's to enforce. */
function compile(schema: Schema, text: string): ValidateFunction | undefined {
  if (text.includes('"$async"')) return undefined;
  const Dialect =
    typeof schema.$schema === 'string' && /draft-0[4-7]/.test(schema.$schema) ? ajv().Ajv : ajv2020().Ajv2020;
  try {
    if (!isSmallUnfolded(schema, SEARCH_LIMITS.unfoldedSchemaPartsMax)) return undefined;
    return new Dialect({
      strict: false,
      allErrors: true,
      verbose: true,
      validateSchema: false,
      validateFormats: false,
      meta: false,
      logger: false,
      // A member that every object inherits, such as `constructor`, is not one that the caller gave.
      ownProperties: true,
      // 19.99 is a multiple of 0.01, though not to the last bit.
      multipleOfPrecision: 6,
      code: { regExp: boundedPatterns(text) },
    }).compile(schema as AnySchema);
  } catch {
    return undefined;
  }
}

function issuesOf(errors: readonly ErrorObject[], args: unknown): InputIssue[] {
  const issues = new Map<string, InputIssue>();
  const isInBranch = branchesOf(errors);
  for (const error of errors) {
    if (error.keyword === 'if' || isInBranch(error.schemaPath)) continue;
    const issue = { pointer: pointerOf(error), keyword: error.keyword, message: messageOf(error, args) };
    issues.set(`${issue.pointer} ${issue.message}`, issue);
    if (issues.size === SEARCH_LIMITS.argumentErrorsMax) break;
  }
  return [...issues.values()];
}

/**
 * Tells whether a place of the schema is inside alternatives that failed as a whole, which is what is said then. Every item of
 * a long array may have failed at the same few places, so each place is looked at once.
 */
function branchesOf(errors: readonly ErrorObject[]): (schemaPath: string) => boolean {
  const branches = new Set<string>();
  for (const { keyword, schemaPath } of errors) {
    if (keyword === 'anyOf' || keyword === 'oneOf') branches.add(schemaPath);
  }
  const known = new Map<string, boolean>();
  const isInside = (path: string): boolean => {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      if (branches.has(path.slice(0, end))) return true;
    }
    return false;
  };
  return (path) => {
    const found = known.get(path) ?? isInside(path);
    known.set(path, found);
    return found;
  };
}

function pointerOf({ keyword, instancePath, params }: ErrorObject): string {
  const member =
    keyword === 'required'
      ? params.missingProperty
      : keyword === 'additionalProperties'
        ? params.additionalProperty
        : keyword === 'unevaluatedProperties'
          ? params.unevaluatedProperty
          : undefined;
  return member === undefined
    ? instancePath
    : `${instancePath}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function messageOf(error: ErrorObject, args: unknown): string {
  const { keyword, params, data, parentSchema } = error;
  switch (keyword) {
    case 'required':
      return `is required${described(propertySchema(parentSchema, params.missingProperty))}`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownMember(
        String(params.additionalProperty ?? params.unevaluatedProperty),
        parentSchema,
        error.instancePath === '' ? args : data,
      );
    case 'type':
      return `must be ${[params.type].flat().join(' or ')}, but is ${typeName(data)}${described(parentSchema)}`;
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[])
        .slice(0, VALUES_SHOWN_MAX)
        .map((value) => JSON.stringify(value))
        .join(', ')}, but is ${shown(data)}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}, but is ${shown(data)}`;
    case 'pattern':
      return `must match the pattern ${params.pattern}, but is ${shown(data)}`;
    case 'anyOf':
    case 'oneOf':
      return `must match ${keyword === 'oneOf' ? 'exactly one' : 'one'} of: ${alternatives(error.schema)}, but is ${shown(data)}`;
    default:
      return `${error.message ?? 'is not valid'}, but is ${shown(data)}`;
  }
}

const VALUES_SHOWN_MAX = 30;
const SHOWN_CHARS_MAX = 60;

function unknownMember(name: string, schema: unknown, holder: unknown): string {
  const known = Object.keys(isRecord(schema) && isRecord(schema.properties) ? schema.properties : {});
  const free = known.filter((member) => !isRecord(holder) || !Object.hasOwn(holder, member));
  if (free.length === 0) return 'is not a member of the schema; leave it out';
  const members = free.slice(0, VALUES_SHOWN_MAX).join(', ');
  return `is not a member of the schema; did you mean ${nearestNames(name, free, 1)[0]}? Members not yet given: ${members}`;
}

function alternatives(schema: unknown): string {
  if (!Array.isArray(schema)) return 'the alternatives';
  return schema
    .slice(0, VALUES_SHOWN_MAX)
    .map((one) => {
      if (!isRecord(one)) return 'any';
      if (Array.isArray(one.required)) return `object with ${one.required.join(', ')}`;
      if ('const' in one) return JSON.stringify(one.const);
      if (Array.isArray(one.enum)) return one.enum.map((value) => JSON.stringify(value)).join(' | ');
      return [one.type ?? one.$ref ?? 'another schema'].flat().join(' | ');
    })
    .join('; ');
}

function described(schema: unknown): string {
  if (!isRecord(schema)) return '';
  const type = typeof schema.type === 'string' ? ` (${schema.type})` : '';
  return typeof schema.description === 'string' ? `${type}: ${schema.description.slice(0, 200)}` : type;
}

function propertySchema(schema: unknown, name: string): unknown {
  return isRecord(schema) && isRecord(schema.properties) && Object.hasOwn(schema.properties, name)
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
