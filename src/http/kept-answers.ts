import { LIMITS } from '../contract/limits.ts';
import type { Call, HttpFace } from '../contract/operation.ts';

export const NOT_FOUND = 404;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** A problem contains the request id, so its text is created per request. */
  readonly text: string | ReadableStream<Uint8Array> | ((requestId: string) => string);
  readonly etag: string | undefined;
}

/** Caches the answers of one operation by URL, until the version of their source changes. */
export class KeptAnswers {
  readonly #keep: NonNullable<HttpFace<unknown, unknown>['keep']>;
  readonly #deps: unknown;
  readonly #answers = new Map<string, HttpAnswer>();
  /** Separate from the answers, so that requests for unknown names do not evict them. */
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

  /** Caches an answer for the version that the last `find` saw. If the version has changed since, the answer is not cached. */
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
