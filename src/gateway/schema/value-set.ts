import type { StepBudget } from './steps.ts';

/** JSON values by what they are: numbers by value, objects whatever the order of their members. */
export class ValueSet {
  readonly #known = new Set<unknown>();

  /** False where the value was there before. */
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

/** A scalar is its own key; a text behind a character that no number begins with keeps structures apart from strings. */
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
