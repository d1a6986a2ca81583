import { pointerTo } from '../../contract/json-pointer.ts';
import { SCHEMA_LIMITS } from './limits.ts';
import { NotJudged, StepBudget, type UnjudgedReason } from './steps.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** A path from a value up to the root, as a linked list. */
export interface Step {
  readonly name: string | number;
  readonly before: Step | undefined;
}

/** A keyword that a value violates. */
export interface Failure {
  readonly keyword: string;
  /** JSON pointer to the value. */
  readonly pointer: string;
  readonly value: unknown;
  /** The schema with the keyword. */
  readonly schema: Schema;
  /** The missing or disallowed member. */
  readonly member?: string;
  /** The error without its subject. */
  readonly message: string;
}

/** Names and indexes that a schema has evaluated, for `unevaluated…`. */
export type Seen = Set<string | number>;

/** Whether a value is valid; failures are recorded in the run. */
export type Check = (value: unknown, step: Step | undefined, run: SchemaRun, seen: Seen | undefined) => boolean;

/** One check of a value: its findings, and its remaining budget. */
export class SchemaRun {
  readonly failures: Failure[] = [];
  readonly budget: StepBudget;
  /** A part was passed without checking it. */
  unjudged: UnjudgedReason | undefined;
  readonly #failuresMax: number;
  #quiet = 0;
  #depth = 0;

  constructor(failuresMax: number, budget = new StepBudget(SCHEMA_LIMITS.stepsMax)) {
    this.budget = budget;
    this.#failuresMax = failuresMax;
  }

  /** Whether a check may stop at its first failure. */
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

  /** Checks without recording failures, because failures of an alternative are not reported. */
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
