import { LIMITS } from '../contract/limits.ts';
import type { Call, HttpFace } from '../contract/operation.ts';

export const NOT_FOUND = 404;

/** An answer without its connection: what is sent each time it is asked for. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** A problem names its request, so it is made of the id of each. */
  readonly text: string | ReadableStream<Uint8Array> | ((requestId: string) => string);
  readonly etag: string | undefined;
}

/** Answers of one operation by URL, kept as long as the version of what they were made from stays. */
export class KeptAnswers {
  readonly #keep: NonNullable<HttpFace<unknown, unknown>['keep']>;
  readonly #deps: unknown;
  readonly #answers = new Map<string, HttpAnswer>();
  /** Kept apart from the answers, so that requests for unknown names evict none of them. */
  readonly #absent = new Map<string, HttpAnswer>();
  #version: unknown;

  constructor(keep: NonNullable<HttpFace<unknown, unknown>['keep']>, deps: unknown) {
    this.#keep = keep;
    this.#deps = deps;
  }

  find(url: string, call: Call): HttpAnswer | undefined {
    const version = this.#keep.version(this.#deps);
    if (version !== this.#version) {
      this.#answers.clear();
      this.#absent.clear();
      this.#version = version;
    }
    const key = this.#key(url, call);
    return this.#answers.get(key) ?? this.#absent.get(key);
  }

  /** Keeps an answer for the version that the last `find` saw: one that was made meanwhile belongs to no other. */
  add(url: string, call: Call, answer: HttpAnswer): void {
    const key = this.#key(url, call);
    if (key.length > LIMITS.httpAnswerKeyLengthMax || this.#keep.version(this.#deps) !== this.#version) return;
    const answers = answer.status === NOT_FOUND ? this.#absent : this.#answers;
    if (answers.size >= LIMITS.httpAnswersKeptMax) answers.delete(answers.keys().next().value as string);
    answers.set(key, answer);
  }

  #key(url: string, call: Call): string {
    return this.#keep.headers.reduce((key, name) => `${key}\n${call.header(name) ?? ''}`, url);
  }
}
