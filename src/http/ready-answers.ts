import type { AnyOperation, Call, HttpFace } from '../contract/operation.ts';

interface ReadyAnswer {
  readonly operation: AnyOperation;
  readonly face: HttpFace<unknown, unknown>;
  readonly deps: unknown;
  readonly basis: object;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ANSWERS_MAX = 10_000;

/**
 * Answers of reads that say what they rest on: while that stays the same object, an equal request is answered with the
 * bytes and headers that the operation gave before, without waiting for anything.
 */
export class ReadyAnswers {
  readonly #answers = new Map<string, ReadyAnswer>();

  keep(target: string, answer: Omit<ReadyAnswer, 'basis'>): void {
    const basis = answer.face.basis?.(answer.deps as never);
    if (!basis) return;
    if (this.#answers.size >= ANSWERS_MAX) this.#answers.clear();
    this.#answers.set(target, { ...answer, basis });
  }

  /** Undefined: the operation must run. */
  find(target: string, call: () => Call): Response | undefined {
    const answer = this.#answers.get(target);
    if (!answer) return undefined;
    const { operation, face, deps } = answer;
    if (face.basis?.(deps as never) !== answer.basis) {
      this.#answers.delete(target);
      return undefined;
    }
    if (operation.admit) {
      try {
        operation.admit(deps, call());
      } catch {
        // The operation refuses the caller in its own words.
        return undefined;
      }
    }
    return new Response(answer.text, { headers: answer.headers });
  }
}

/** Path and query of an absolute URL, as they were sent. */
export function targetOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('://') + 3);
  return slash === -1 ? '/' : url.slice(slash);
}
