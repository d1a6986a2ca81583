/** The remaining budget of a check. A step takes some tens of nanoseconds. */
export class StepBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Throws `NotJudged` if the budget is used up. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new NotJudged('steps');
  }
}

/** Why arguments were not judged: too much work, or a pattern that needs backtracking. */
export type UnjudgedReason = 'steps' | 'pattern';

export class NotJudged extends Error {
  readonly reason: UnjudgedReason;

  constructor(reason: UnjudgedReason) {
    super(reason === 'steps' ? 'the budget of steps is used up' : 'a pattern cannot be run in linear time');
    this.reason = reason;
  }
}
