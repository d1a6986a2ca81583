/** The work that one judgement may still take. A step is some tens of nanoseconds. */
export class StepBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Throws `NotJudged` where nothing is left. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new NotJudged('steps');
  }
}

/** Why arguments were not judged: too much work, or a pattern that only a backtracking engine can run. */
export type UnjudgedReason = 'steps' | 'pattern';

export class NotJudged extends Error {
  readonly reason: UnjudgedReason;

  constructor(reason: UnjudgedReason) {
    super(reason === 'steps' ? 'the budget of steps is used up' : 'a pattern cannot be run in linear time');
    this.reason = reason;
  }
}
