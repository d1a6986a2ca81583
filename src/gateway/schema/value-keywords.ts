import { isObject } from '../../contract/json.ts';
import { UnusablePattern } from './pattern-program.ts';
import type { Check, Schema } from './schema-run.ts';
import type { StepBudget } from './steps.ts';
import { ValueSet } from './value-set.ts';

/** An invalid schema, or one with an unresolvable reference. */
export class BadSchema extends Error {
  /** The cause is a valid pattern that cannot run in linear time. */
  readonly unusablePattern: UnusablePattern | undefined;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.unusablePattern = cause instanceof UnusablePattern && cause.isUnsupported ? cause : undefined;
  }
}

/** Creates the check of one keyword; its value is `schema[keyword]`. */
export type KeywordMaker = (schema: Schema, keyword: string) => Check;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  string: (value) => typeof value === 'string',
  array: (value) => Array.isArray(value),
  object: isObject,
};

const type: KeywordMaker = (schema, keyword) => {
  const names = [schema.type, schema.nullable === true ? 'null' : []].flat();
  const tests = names.map((name) => {
    const isType = typeof name === 'string' && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
    if (!isType) throw new BadSchema(`type must be one of ${Object.keys(TYPES).join(', ')}`);
    return isType;
  });
  const message = `must be ${[schema.type].flat().join()}`;
  if (tests.length === 0) throw new BadSchema('type must name a type');
  return (value, step, run) =>
    tests.some((isType) => isType(value)) || run.fail({ keyword, schema, value, message }, step);
};

const enumeration: KeywordMaker = (schema, keyword) => {
  const allowed = listOf(schema, keyword);
  const values = new ValueSet();
  for (const value of allowed) values.add(value);
  const message = 'must be equal to one of the allowed values';
  return (value, step, run) => values.has(value, run.budget) || run.fail({ keyword, schema, value, message }, step);
};

const constant: KeywordMaker = (schema, keyword) => {
  const values = new ValueSet();
  values.add(schema.const);
  const message = 'must be equal to constant';
  return (value, step, run) => values.has(value, run.budget) || run.fail({ keyword, schema, value, message }, step);
};

/** A bound on numbers: how to compare, and the text of the comparison. */
const bound =
  (isWithin: (value: number, limit: number) => boolean, sign: string): KeywordMaker =>
  (schema, keyword) => {
    const limit = numberOf(schema, keyword);
    const message = `must be ${sign} ${limit}`;
    return (value, step, run) =>
      typeof value !== 'number' || isWithin(value, limit) || run.fail({ keyword, schema, value, message }, step);
  };

/** Tolerance for multiples, because binary numbers are inexact: 19.99 is a multiple of 0.01. */
const MULTIPLE_TOLERANCE = 1e-6;

const multipleOf: KeywordMaker = (schema, keyword) => {
  const divisor = numberOf(schema, keyword);
  if (divisor <= 0) throw new BadSchema(`${keyword} must be above 0`);
  const message = `must be multiple of ${divisor}`;
  const isMultiple = (value: number): boolean => {
    if (Number.isInteger(divisor) && Number.isInteger(value)) return value % divisor === 0;
    const times = value / divisor;
    return Math.abs(Math.round(times) - times) <= MULTIPLE_TOLERANCE;
  };
  return (value, step, run) =>
    typeof value !== 'number' || isMultiple(value) || run.fail({ keyword, schema, value, message }, step);
};

/** Counts something in a value; undefined if the keyword does not apply to it. */
type CountIn = (value: unknown, limit: number, budget: StepBudget) => number | undefined;

const count =
  (countIn: CountIn, isMax: boolean, what: string): KeywordMaker =>
  (schema, keyword) => {
    const limit = numberOf(schema, keyword);
    if (!Number.isInteger(limit) || limit < 0) throw new BadSchema(`${keyword} must be a whole number from 0`);
    const message = `must NOT have ${isMax ? 'more' : 'fewer'} than ${limit} ${what}`;
    return (value, step, run) => {
      const counted = countIn(value, limit, run.budget);
      if (counted === undefined || (isMax ? counted <= limit : counted >= limit)) return true;
      return run.fail({ keyword, schema, value, message }, step);
    };
  };

/** Counts code points, but only if the length in code units does not decide the comparison. */
function charactersIn(value: unknown, limit: number, budget: StepBudget): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.length < limit) return value.length;
  if (value.length > 2 * limit) return limit + 1;
  budget.spend(value.length >> 3);
  let characters = 0;
  for (let at = 0; at < value.length; at += 1) {
    if ((value.codePointAt(at) as number) > 0xffff) at += 1;
    characters += 1;
  }
  return characters;
}

function itemsIn(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

function membersIn(value: unknown, _limit: number, budget: StepBudget): number | undefined {
  if (!isObject(value)) return undefined;
  const { length } = Object.keys(value);
  budget.spend(length);
  return length;
}

const uniqueItems: KeywordMaker = (schema, keyword) => {
  if (typeof schema[keyword] !== 'boolean') throw new BadSchema(`${keyword} must be true or false`);
  if (!schema[keyword]) return () => true;
  return (value, step, run) => {
    if (!Array.isArray(value)) return true;
    const known = new ValueSet();
    const second = value.findIndex((item) => {
      run.budget.spend(2);
      return !known.add(item, run.budget);
    });
    if (second < 0) return true;
    const message = `must NOT have duplicate items (item ${second} stands there before)`;
    return run.fail({ keyword, schema, value, message }, step);
  };
};

const required: KeywordMaker = (schema, keyword) => {
  const names = namesOf(schema[keyword], keyword);
  return (value, step, run) => {
    if (!isObject(value)) return true;
    run.budget.spend(names.length);
    let isFit = true;
    for (const member of names) {
      if (Object.hasOwn(value, member)) continue;
      const message = `must have required property '${member}'`;
      isFit = run.fail({ keyword, schema, value, member, message }, step);
      if (run.stopsAtFirst) break;
    }
    return isFit;
  };
};

/** `dependentRequired`, and the name lists in the older `dependencies`. */
const dependentRequired: KeywordMaker = (schema, keyword) => {
  // The older keyword may also contain schemas.
  const lists = Object.entries(recordOf(schema, keyword)).filter(
    ([, list]) => keyword !== 'dependencies' || Array.isArray(list),
  );
  const wanted = lists.map(([name, list]) => [name, namesOf(list, keyword)] as const);
  return (value, step, run) => {
    if (!isObject(value)) return true;
    run.budget.spend(wanted.length);
    for (const [name, names] of wanted) {
      if (!Object.hasOwn(value, name)) continue;
      run.budget.spend(names.length);
      const missing = names.find((other) => !Object.hasOwn(value, other));
      if (missing === undefined) continue;
      const message = `must have property ${missing} when property ${name} is present`;
      return run.fail({ keyword, schema, value, message }, step);
    }
    return true;
  };
};

/** Keywords that depend only on the value, in the order of their checks. */
export const VALUE_KEYWORDS: Readonly<Record<string, KeywordMaker>> = {
  type,
  minimum: bound((value, limit) => value >= limit, '>='),
  maximum: bound((value, limit) => value <= limit, '<='),
  exclusiveMinimum: bound((value, limit) => value > limit, '>'),
  exclusiveMaximum: bound((value, limit) => value < limit, '<'),
  multipleOf,
  minLength: count(charactersIn, false, 'characters'),
  maxLength: count(charactersIn, true, 'characters'),
  const: constant,
  enum: enumeration,
  minItems: count(itemsIn, false, 'items'),
  maxItems: count(itemsIn, true, 'items'),
  uniqueItems,
  minProperties: count(membersIn, false, 'properties'),
  maxProperties: count(membersIn, true, 'properties'),
  required,
  dependentRequired,
  dependencies: dependentRequired,
};

export function recordOf(schema: Schema, keyword: string): Readonly<Record<string, unknown>> {
  const value = schema[keyword];
  if (!isObject(value)) throw new BadSchema(`${keyword} must be an object`);
  return value;
}

export function listOf(schema: Schema, keyword: string): readonly unknown[] {
  const value = schema[keyword];
  if (!Array.isArray(value) || value.length === 0) throw new BadSchema(`${keyword} must be a list that is not empty`);
  return value;
}

function numberOf(schema: Schema, keyword: string): number {
  const value = schema[keyword];
  if (typeof value !== 'number') throw new BadSchema(`${keyword} must be a number`);
  return value;
}

function namesOf(value: unknown, keyword: string): readonly string[] {
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string'))
    throw new BadSchema(`${keyword} must be a list of names`);
  return value;
}
