import { isObject } from '../../contract/json.ts';
import type { Check, Schema, SchemaRun, Seen } from './schema-run.ts';
import { BadSchema, listOf, recordOf } from './value-keywords.ts';

/** The parts of the compiler that keywords with schemas, references or patterns use. */
export interface SchemaContext {
  /** True for JSON Schema 2020-12, false for draft 7 and older. */
  readonly isNewer: boolean;
  schema(schema: unknown, name: string): Check;
  reference(reference: unknown): Check;
  pattern(source: unknown): (text: string, run: SchemaRun) => boolean;
}

export type ApplicatorMaker = (context: SchemaContext, schema: Schema, keyword: string) => Check;

const reference: ApplicatorMaker = (context, schema, keyword) => context.reference(schema[keyword]);

const pattern: ApplicatorMaker = (context, schema, keyword) => {
  const matches = context.pattern(schema[keyword]);
  const message = `must match pattern "${schema[keyword]}"`;
  return (value, step, run) =>
    typeof value !== 'string' || matches(value, run) || run.fail({ keyword, schema, value, message }, step);
};

const not: ApplicatorMaker = (context, schema, keyword) => {
  const check = context.schema(schema[keyword], keyword);
  const message = 'must NOT be valid';
  return (value, step, run) =>
    !run.fits(check, value, undefined) || run.fail({ keyword, schema, value, message }, step);
};

const allOf: ApplicatorMaker = (context, schema, keyword) => {
  const checks = listOf(schema, keyword).map((part) => context.schema(part, keyword));
  return (value, step, run, seen) => {
    let isFit = true;
    for (const check of checks) {
      if (!check(value, step, run, seen)) isFit = false;
      if (!isFit && run.stopsAtFirst) break;
    }
    return isFit;
  };
};

/** `anyOf`, and `oneOf`, for which exactly one alternative may match. */
const alternatives: ApplicatorMaker = (context, schema, keyword) => {
  const checks = listOf(schema, keyword).map((part) => context.schema(part, keyword));
  const fitsMax = keyword === 'oneOf' ? 1 : checks.length;
  const message = keyword === 'oneOf' ? 'must match exactly one schema in oneOf' : 'must match a schema in anyOf';
  return (value, step, run, seen) => {
    let fits = 0;
    for (const check of checks) {
      const own: Seen | undefined = seen && new Set();
      if (!run.fits(check, value, own)) continue;
      fits += 1;
      merge(own, seen, run);
      if (fits > fitsMax || (keyword === 'anyOf' && !seen)) break;
    }
    return (fits > 0 && fits <= fitsMax) || run.fail({ keyword, schema, value, message }, step);
  };
};

const condition: ApplicatorMaker = (context, schema, keyword) => {
  const [check, then, otherwise] = [keyword, 'then', 'else'].map((name) =>
    context.schema(schema[name] ?? true, name),
  ) as [Check, Check, Check];
  return (value, step, run, seen) => {
    const own: Seen | undefined = seen && new Set();
    const isMet = run.fits(check, value, own);
    if (isMet) merge(own, seen, run);
    return (isMet ? then : otherwise)(value, step, run, seen);
  };
};

/** Items by position, and the rest: `prefixItems` and `items`, or the older `items` and `additionalItems`. */
const items: ApplicatorMaker = (context, schema) => {
  const places = context.isNewer ? 'prefixItems' : 'items';
  const isListed = Array.isArray(schema[places]) || (context.isNewer && Object.hasOwn(schema, places));
  const others = context.isNewer || !isListed ? 'items' : 'additionalItems';
  const checks = isListed ? listOf(schema, places).map((part) => context.schema(part, places)) : [];
  const rest = Object.hasOwn(schema, others) ? context.schema(schema[others], others) : undefined;
  const isClosed = schema[others] === false;
  const message = `must NOT have more than ${checks.length} items`;
  return (value, step, run, seen) => {
    if (!Array.isArray(value)) return true;
    if (isClosed && value.length > checks.length) return run.fail({ keyword: others, schema, value, message }, step);
    let isFit = true;
    const end = rest ? value.length : Math.min(value.length, checks.length);
    run.budget.spend(end);
    for (let name = 0; name < end; name += 1) {
      const check = checks[name] ?? (rest as Check);
      if (!check(value[name], { name, before: step }, run, undefined)) isFit = false;
      if (!isFit && run.stopsAtFirst) return false;
      seen?.add(name);
    }
    return isFit;
  };
};

const contains: ApplicatorMaker = (context, schema, keyword) => {
  const check = context.schema(schema[keyword], keyword);
  const [min = 1, max = Number.POSITIVE_INFINITY] = context.isNewer
    ? [countOf(schema, 'minContains'), countOf(schema, 'maxContains')]
    : [];
  const most = max === Number.POSITIVE_INFINITY ? '' : ` and no more than ${max}`;
  const message = `must contain at least ${min}${most} valid item(s)`;
  return (value, step, run, seen) => {
    if (!Array.isArray(value)) return true;
    let found = 0;
    for (let name = 0; name < value.length && (seen || found < min || max < Number.POSITIVE_INFINITY); name += 1) {
      if (!run.fits(check, value[name], undefined)) continue;
      found += 1;
      seen?.add(name);
    }
    return (found >= min && found <= max) || run.fail({ keyword, schema, value, message }, step);
  };
};

/** `properties`, `patternProperties` and `additionalProperties`, in one pass over the members. */
const members: ApplicatorMaker = (context, schema) => {
  const schemasOf = (keyword: string) =>
    Object.hasOwn(schema, keyword) ? Object.entries(recordOf(schema, keyword)) : [];
  const named = new Map(
    schemasOf('properties').map(([name, part]) => [name, context.schema(part, `properties/${name}`)] as const),
  );
  const patterned = schemasOf('patternProperties').map(
    ([source, part]) => [context.pattern(source), context.schema(part, `patternProperties/${source}`)] as const,
  );
  const keyword = 'additionalProperties';
  const isOpen = !Object.hasOwn(schema, keyword);
  const additional = isOpen ? undefined : context.schema(schema[keyword], keyword);
  const isClosed = schema[keyword] === false;
  const message = 'must NOT have additional properties';
  return (value, step, run, seen) => {
    if (!isObject(value)) return true;
    let isFit = true;
    const names = Object.keys(value);
    run.budget.spend(names.length);
    for (const member of names) {
      const below = { name: member, before: step };
      const own = named.get(member);
      let isKnown = own !== undefined;
      if (own && !own(value[member], below, run, undefined)) isFit = false;
      for (const [matches, check] of patterned) {
        if (!matches(member, run)) continue;
        isKnown = true;
        if (!check(value[member], below, run, undefined)) isFit = false;
      }
      if (!isKnown && isClosed) isFit = run.fail({ keyword, schema, value, member, message }, step);
      else if (!isKnown && additional && !additional(value[member], below, run, undefined)) isFit = false;
      if (!isFit && run.stopsAtFirst) return false;
      if (isKnown || additional) seen?.add(member);
    }
    return isFit;
  };
};

const propertyNames: ApplicatorMaker = (context, schema, keyword) => {
  const check = context.schema(schema[keyword], keyword);
  const message = 'property name must be valid';
  return (value, step, run) => {
    if (!isObject(value)) return true;
    let isFit = true;
    for (const name of Object.keys(value)) {
      run.budget.spend(1);
      if (!check(name, step, run, undefined)) isFit = run.fail({ keyword, schema, value, message }, step);
      if (!isFit && run.stopsAtFirst) break;
    }
    return isFit;
  };
};

/** `dependentSchemas`, and the schemas in the older `dependencies`. */
const dependentSchemas: ApplicatorMaker = (context, schema, keyword) => {
  const schemas = Object.entries(recordOf(schema, keyword))
    .filter(([, part]) => keyword !== 'dependencies' || !Array.isArray(part))
    .map(([name, part]) => [name, context.schema(part, keyword)] as const);
  return (value, step, run, seen) => {
    if (!isObject(value)) return true;
    run.budget.spend(schemas.length);
    let isFit = true;
    for (const [name, check] of schemas) {
      if (Object.hasOwn(value, name) && !check(value, step, run, seen)) isFit = false;
      if (!isFit && run.stopsAtFirst) break;
    }
    return isFit;
  };
};

/** Applies to members that no other keyword has evaluated, so it runs last. */
export const unevaluatedMembers: ApplicatorMaker = (context, schema, keyword) => {
  const check = context.schema(schema[keyword], keyword);
  const message = 'must NOT have unevaluated properties';
  return (value, step, run, seen) => {
    if (!isObject(value)) return true;
    let isFit = true;
    const names = Object.keys(value);
    run.budget.spend(names.length);
    for (const member of names) {
      if (seen?.has(member)) continue;
      seen?.add(member);
      if (schema[keyword] === false) isFit = run.fail({ keyword, schema, value, member, message }, step);
      else if (!check(value[member], { name: member, before: step }, run, undefined)) isFit = false;
      if (!isFit && run.stopsAtFirst) break;
    }
    return isFit;
  };
};

export const unevaluatedItems: ApplicatorMaker = (context, schema, keyword) => {
  const check = context.schema(schema[keyword], keyword);
  return (value, step, run, seen) => {
    if (!Array.isArray(value)) return true;
    let isFit = true;
    run.budget.spend(value.length);
    for (let name = 0; name < value.length; name += 1) {
      if (seen?.has(name)) continue;
      seen?.add(name);
      const message = `must NOT have more than ${name} items`;
      if (schema[keyword] === false) return run.fail({ keyword, schema, value, message }, step);
      if (!check(value[name], { name, before: step }, run, undefined)) isFit = false;
      if (!isFit && run.stopsAtFirst) break;
    }
    return isFit;
  };
};

/** Keywords with schemas, references or patterns: if any of the names is present, one check is created. */
export const APPLICATORS: readonly {
  readonly names: readonly string[];
  readonly make: ApplicatorMaker;
  readonly isOnlyNewer?: true;
}[] = [
  { names: ['pattern'], make: pattern },
  { names: ['$ref'], make: reference },
  { names: ['$dynamicRef'], make: reference, isOnlyNewer: true },
  { names: ['not'], make: not },
  { names: ['anyOf'], make: alternatives },
  { names: ['oneOf'], make: alternatives },
  { names: ['allOf'], make: allOf },
  { names: ['if'], make: condition },
  { names: ['items', 'prefixItems'], make: items },
  { names: ['contains'], make: contains },
  { names: ['propertyNames'], make: propertyNames },
  { names: ['properties', 'patternProperties', 'additionalProperties'], make: members },
  { names: ['dependencies'], make: dependentSchemas },
  { names: ['dependentSchemas'], make: dependentSchemas, isOnlyNewer: true },
];

export function merge(from: Seen | undefined, into: Seen | undefined, run: SchemaRun): void {
  if (!from || !into) return;
  run.budget.spend(from.size);
  for (const name of from) into.add(name);
}

function countOf(schema: Schema, keyword: string): number | undefined {
  if (!Object.hasOwn(schema, keyword)) return undefined;
  const value = schema[keyword];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw new BadSchema(`${keyword} must be a whole number from 0`);
  return value;
}
