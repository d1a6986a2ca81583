import { pointerTo } from '../../contract/json-pointer.ts';
import { SCHEMA_LIMITS } from './limits.ts';
import { NotJudged, StepBudget, type UnjudgedReason } from './steps.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** The way to a value, from its end. */
export interface Step {
  readonly name: string | number;
  readonly before: Step | undefined;
}

/** A keyword that a value does not fit. */
export interface Failure {
  readonly keyword: string;
  /** JSON pointer to the value. */
  readonly pointer: string;
  readonly value: unknown;
  /** The schema that has the keyword. */
  readonly schema: Schema;
  /** The member that is missing or not allowed. */
  readonly member?: string;
  /** A sentence without its subject. */
  readonly message: string;
}

/** Names of members and places of items that a schema has looked at: what `unevaluated…` asks for. */
export type Seen = Set<string | number>;

/** Whether a value fits; failures are noted in the run. */
export type Check = (value: unknown, step: Step | undefined, run: SchemaRun, seen: Seen | undefined) => boolean;

/** One judgement of a value: what it has found, and what it may still cost. */
export class SchemaRun {
  readonly failures: Failure[] = [];
  readonly budget = new StepBudget(SCHEMA_LIMITS.stepsMax);
  /** Something was passed without a look at it. */
  unjudged: UnjudgedReason | undefined;
  readonly #failuresMax: number;
  #quiet = 0;
  #depth = 0;

  constructor(failuresMax: number) {
    this.#failuresMax = failuresMax;
  }

  /** Nothing more is to be found out once a value does not fit. */
  get stopsAtFirst(): boolean {
    return this.#quiet > 0 || this.failures.length >= this.#failuresMax;
  }

  enter(steps: number): void {
    this.#depth += 1;
    if (this.#depth > SCHEMA_LIMITS.depthMax) throw new NotJudged('steps');
    this.budget.spend(steps);
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Asks without noting failures: those of an alternative are not what is said. */
  fits(check: Check, value: unknown, seen: Seen | undefined): boolean {
    this.#quiet += 1;
    const isFit = check(value, undefined, this, seen);
    this.#quiet -= 1;
    return isFit;
  }

  fail(failure: Omit<Failure, 'pointer'>, step: Step | undefined): false {
    if (!this.stopsAtFirst) this.failures.push({ ...failure, pointer: pointerOf(step) });
    return false;
  }
}

function pointerOf(step: Step | undefined): string {
  const names: (string | number)[] = [];
  for (let at = step; at; at = at.before) names.push(at.name);
  return pointerTo(...names.reverse());
}
