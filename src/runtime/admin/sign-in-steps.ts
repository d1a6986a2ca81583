import type { SignInStep } from '../../host/oauth/sign-in.ts';

export interface NotedStep {
  readonly name: SignInStep['name'];
  readonly state: 'running' | 'done' | 'failed';
  readonly detail: string | null;
  readonly time: string;
}

/** How far the last sign-in to each server came, for the person who waits for it. */
export class SignInSteps {
  readonly #steps = new Map<string, readonly NotedStep[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  begin(id: string): void {
    this.#steps.set(id, []);
  }

  note(id: string, { name, state, detail }: SignInStep): void {
    this.#put(id, { name, state, detail: detail ?? null });
  }

  /** The step that was under way failed. */
  fail(id: string, reason: string): void {
    const running = this.of(id).findLast(({ state }) => state === 'running');
    this.#put(id, { name: running?.name ?? 'discover', state: 'failed', detail: reason });
  }

  of(id: string): readonly NotedStep[] {
    return this.#steps.get(id) ?? [];
  }

  #put(id: string, step: Omit<NotedStep, 'time'>): void {
    const others = this.of(id).filter(({ name }) => name !== step.name);
    this.#steps.set(id, [...others, { ...step, time: new Date(this.#now()).toISOString() }]);
  }
}
