import { nextAfter } from '../../host/oauth/oauth-error.ts';
import type { SignInPorts, SignInStep } from '../../host/oauth/sign-in.ts';
import type { SeenRequest } from '../../host/oauth/watched-dispatcher.ts';
import { UP_LIMITS } from '../limits.ts';

export interface NotedStep {
  readonly name: SignInStep['name'];
  readonly state: 'running' | 'done' | 'failed';
  readonly detail: string | null;
  /** How to resolve a failure. */
  readonly next: string | null;
  readonly requests: SeenRequest[];
  readonly time: string;
}

/** Callbacks for the progress of a sign-in. */
interface SignInWatch extends Required<Pick<SignInPorts, 'onStep' | 'onRequest'>> {
  onFailed(thrown: unknown): void;
}

export interface SignInStepsOptions {
  now(): number;
  redact(text: string): string;
}

/** The owner of sign-ins that all callers share. */
const EVERYBODY = '';

/** The progress of the last sign-in to each server, for the person who waits: one for all callers, or one per user. */
export class SignInSteps {
  readonly #steps = new Map<string, readonly NotedStep[]>();
  readonly #options: SignInStepsOptions;

  constructor(options: SignInStepsOptions) {
    this.#options = options;
  }

  /** A sign-in begins: discards the steps of the previous one. */
  begin(server: string, owner = EVERYBODY): SignInWatch {
    const key = keyOf(server, owner);
    this.#steps.delete(key);
    this.#steps.set(key, []);
    const [oldest] = this.#steps.keys();
    if (this.#steps.size > UP_LIMITS.signInsNotedMax && oldest !== undefined) this.#steps.delete(oldest);
    return {
      onStep: ({ name, state, detail }) => this.#put(key, { name, state, detail: detail ?? null, next: null }),
      onRequest: (seen) => this.#note(key, seen),
      onFailed: (thrown) => this.#fail(key, thrown),
    };
  }

  of(server: string, owner = EVERYBODY): readonly NotedStep[] {
    return this.#steps.get(keyOf(server, owner)) ?? [];
  }

  /** Marks the running step as failed. */
  #fail(key: string, thrown: unknown): void {
    const reason = thrown instanceof Error ? this.#options.redact(thrown.message) : 'it failed';
    const { name } = this.#running(key) ?? { name: 'discover' as const };
    this.#put(key, { name, state: 'failed', detail: reason, next: nextAfter(thrown) ?? null });
  }

  #note(key: string, seen: SeenRequest): void {
    this.#running(key)?.requests.push({ ...seen, url: this.#options.redact(seen.url) });
  }

  #running(key: string): NotedStep | undefined {
    return this.#steps.get(key)?.findLast(({ state }) => state === 'running');
  }

  #put(key: string, step: Omit<NotedStep, 'time' | 'requests'>): void {
    const known = this.#steps.get(key);
    if (!known) return;
    const requests = known.find(({ name }) => name === step.name)?.requests ?? [];
    const others = known.filter(({ name }) => name !== step.name);
    this.#steps.set(key, [...others, { ...step, requests, time: new Date(this.#options.now()).toISOString() }]);
  }
}

function keyOf(server: string, owner: string): string {
  return JSON.stringify([server, owner]);
}
