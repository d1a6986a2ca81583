import type { StepBudget } from './steps.ts';

/** A set of JSON values: compares numbers by value, and objects regardless of member order. */
export class ValueSet {
  readonly #known = new Set<unknown>();

  /** False if the value is already in the set. */
  add(value: unknown, budget?: StepBudget): boolean {
    const key = keyOf(value, budget);
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    return true;
  }

  has(value: unknown, budget: StepBudget): boolean {
    return this.#known.has(keyOf(value, budget));
  }
}

/** A scalar other than a string is its own key. The prefix `"` keeps strings apart from serialized structures. */
function keyOf(value: unknown, budget: StepBudget | undefined): unknown {
  if (typeof value === 'string') {
    budget?.spend(1 + (value.length >> 4));
    return `"${value}`;
  }
  if (typeof value !== 'object' || value === null) return value;
  return canonical(value, budget);
}

function canonical(value: unknown, budget: StepBudget | undefined): string {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value);
    budget?.spend(1 + (text.length >> 4));
    // -0 and 0 are equal.
    return text;
  }
  if (Array.isArray(value)) {
    budget?.spend(2);
    return `[${value.map((item) => canonical(item, budget)).join()}]`;
  }
  const names = Object.keys(value).sort();
  budget?.spend(2 + 2 * names.length);
  const member = (name: string) =>
    `${JSON.stringify(name)}:${canonical((value as Record<string, unknown>)[name], budget)}`;
  return `{${names.map(member).join()}}`;
}
