import { isObject } from '../../contract/json.ts';
import { APPLICATORS, merge, type SchemaContext, unevaluatedItems, unevaluatedMembers } from './applicators.ts';
import { linearPattern } from './linear-pattern.ts';
import { UnusablePattern } from './pattern-program.ts';
import { type Check, type Failure, type Schema, SchemaRun, type Seen } from './schema-run.ts';
import { NotJudged, type StepBudget, type UnjudgedReason } from './steps.ts';
import { BadSchema, recordOf, VALUE_KEYWORDS } from './value-keywords.ts';

export interface SchemaOptions {
  readonly dialect: '2020-12' | 'draft-07';
  /**
   * How to treat a pattern that cannot run in linear time. `refuse`: the schema does not compile. `leave`: the pattern passes if that
   * can only allow more values; otherwise the value is not judged.
   */
  readonly unusablePatterns: 'refuse' | 'leave';
  /** The formats to check, each by a linear test; default: none. */
  readonly formats?: Readonly<Record<string, (text: string) => boolean>>;
}

/** The result of checking a value. */
export interface SchemaVerdict {
  readonly failures: readonly Failure[];
  /** Why the value, or a part of it, was not judged. */
  readonly unjudged: UnjudgedReason | undefined;
}

/** Checks a value against a schema within a budget of steps, by default one of its own; returns at most `failuresMax` failures. */
export type JudgeBySchema = (value: unknown, failuresMax: number, budget?: StepBudget) => SchemaVerdict;

/**
 * Compiles a JSON Schema in linear time. Checking stops when its budget is used up, because schemas and values are untrusted. Checks
 * only the formats of the options. References must stay within the schema. Throws `BadSchema`.
 */
export function compileSchema(schema: unknown, options: SchemaOptions): JudgeBySchema {
  const check = new SchemaCompiler(schema, options).compile();
  return (value, failuresMax, budget) => {
    const run = new SchemaRun(failuresMax, budget);
    try {
      check(value, undefined, run, undefined);
      return { failures: run.failures, unjudged: run.unjudged };
    } catch (thrown) {
      if (!(thrown instanceof NotJudged)) throw thrown;
      return { failures: [], unjudged: thrown.reason };
    }
  };
}

/** Keywords with which a passing part can make the whole fail. */
const REFUSES_WHAT_PASSES = ['not', 'oneOf', 'if', 'patternProperties', 'maxContains'];
/** Members of a schema that contain values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

class SchemaCompiler implements SchemaContext {
  readonly isNewer: boolean;
  readonly #root: unknown;
  readonly #isStrict: boolean;
  readonly #formats: NonNullable<SchemaOptions['formats']>;
  readonly #compiled = new Map<Schema, { check: Check | undefined }>();
  readonly #anchors = new Map<string, Schema>();
  #hasInnerIds = false;
  #refusesWhatPasses = false;

  constructor(root: unknown, { dialect, unusablePatterns, formats = {} }: SchemaOptions) {
    this.#root = root;
    this.isNewer = dialect === '2020-12';
    this.#isStrict = unusablePatterns === 'refuse';
    this.#formats = formats;
  }

  compile(): Check {
    this.#findAnchors();
    return this.schema(this.#root, 'the schema');
  }

  schema(schema: unknown, name: string): Check {
    if (schema === true) return () => true;
    if (schema === false) return refuseAll;
    if (!isObject(schema)) throw new BadSchema(`${name} must be a schema: an object, true or false`);
    const known = this.#compiled.get(schema);
    // A recursive schema is requested before it is compiled.
    if (known) return known.check ?? ((value, step, run, seen) => (known.check as Check)(value, step, run, seen));
    const entry: { check: Check | undefined } = { check: undefined };
    this.#compiled.set(schema, entry);
    entry.check = this.#keywords(schema);
    return entry.check;
  }

  reference(reference: unknown): Check {
    if (typeof reference !== 'string') throw new BadSchema('a reference must be a string');
    const id = isObject(this.#root) && typeof this.#root.$id === 'string' ? this.#root.$id.replace(/#$/, '') : '';
    const fragment = id !== '' && reference.startsWith(`${id}#`) ? reference.slice(id.length) : reference;
    if (this.#hasInnerIds || !(fragment === id || fragment.startsWith('#')))
      throw new BadSchema(`can't resolve reference ${reference}: it leads out of the schema`);
    const target = fragment === id ? this.#root : this.#target(fragment.slice(1));
    if (target === undefined) throw new BadSchema(`can't resolve reference ${reference}`);
    return this.schema(target, reference);
  }

  pattern(source: unknown): (text: string, run: SchemaRun) => boolean {
    if (typeof source !== 'string') throw new BadSchema('pattern must be a string');
    try {
      linearPattern(source);
      return (text, run) => linearPattern(source).test(text, run.budget);
    } catch (thrown) {
      if (!(thrown instanceof UnusablePattern)) throw thrown;
      if (this.#isStrict) throw new BadSchema(`the pattern ${source} ${thrown.message}`, thrown);
    }
    return (_text, run) => {
      if (this.#refusesWhatPasses) throw new NotJudged('pattern');
      run.unjudged = 'pattern';
      return true;
    };
  }

  #format(schema: Schema): Check[] {
    const { format } = schema;
    const isFit = typeof format === 'string' && Object.hasOwn(this.#formats, format) && this.#formats[format];
    if (!isFit) return [];
    const message = `must match format "${format}"`;
    return [
      (value, step, run) => {
        if (typeof value !== 'string') return true;
        run.budget.spend(value.length >> 3);
        return isFit(value) || run.fail({ keyword: 'format', schema, value, message }, step);
      },
    ];
  }

  #keywords(schema: Schema): Check {
    const checks: Check[] = this.#format(schema);
    for (const [keyword, make] of Object.entries(VALUE_KEYWORDS)) {
      if (Object.hasOwn(schema, keyword) && (this.isNewer || keyword !== 'dependentRequired'))
        checks.push(make(schema, keyword));
    }
    for (const { names, make, isOnlyNewer } of APPLICATORS) {
      const keyword = names.find((name) => Object.hasOwn(schema, name));
      if (keyword !== undefined && (this.isNewer || !isOnlyNewer)) checks.push(make(this, schema, keyword));
    }
    this.#refusesWhatPasses ||= REFUSES_WHAT_PASSES.some((keyword) => Object.hasOwn(schema, keyword));
    if (this.#isStrict) this.#definitions(schema);
    return this.#withUnevaluated(schema, allOf(checks));
  }

  #withUnevaluated(schema: Schema, check: Check): Check {
    const makers = { unevaluatedProperties: unevaluatedMembers, unevaluatedItems };
    const last = Object.entries(makers)
      .filter(([keyword]) => this.isNewer && Object.hasOwn(schema, keyword))
      .map(([keyword, make]) => make(this, schema, keyword));
    if (last.length === 0) return check;
    const whole = allOf([check, ...last]);
    return (value, step, run, seen) => {
      const own: Seen = new Set();
      const isFit = whole(value, step, run, own);
      merge(own, seen, run);
      return isFit;
    };
  }

  /** Compiles unused definitions too, to find mistakes in them. */
  #definitions(schema: Schema): void {
    for (const keyword of ['$defs', 'definitions']) {
      if (!Object.hasOwn(schema, keyword)) continue;
      for (const [name, part] of Object.entries(recordOf(schema, keyword))) this.schema(part, `${keyword}/${name}`);
    }
  }

  /** The target of a JSON pointer or an anchor. */
  #target(fragment: string): unknown {
    let text: string;
    try {
      text = decodeURIComponent(fragment);
    } catch {
      return undefined;
    }
    if (text !== '' && !text.startsWith('/')) return this.#anchors.get(text);
    let node: unknown = this.#root;
    for (const part of text.split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined;
      node = (node as Record<string, unknown>)[name];
    }
    return node;
  }

  #findAnchors(): void {
    const waiting: unknown[] = [this.#root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (typeof node !== 'object' || node === null) continue;
      for (const [name, value] of Object.entries(node)) {
        if (name === '$id' && typeof value === 'string' && node !== this.#root) this.#hasInnerIds = true;
        if ((name === '$anchor' || name === '$dynamicAnchor') && typeof value === 'string' && isObject(node))
          this.#anchors.set(value, node);
        if (!VALUES.has(name)) waiting.push(value);
      }
    }
  }
}

const refuseAll: Check = (value, step, run) =>
  run.fail({ keyword: 'false schema', schema: {}, value, message: 'boolean schema is false' }, step);

function allOf(checks: readonly Check[]): Check {
  return (value, step, run, seen) => {
    run.enter(1 + checks.length);
    let isFit = true;
    for (const check of checks) {
      if (check(value, step, run, seen)) continue;
      isFit = false;
      if (run.stopsAtFirst) break;
    }
    run.leave();
    return isFit;
  };
}
