import type { Semantics } from '../ranking/rank-tools.ts';
import type { SearchableTool } from '../searchable-tool.ts';
import type { Encoder, VectorCache } from './encoder.ts';
import { ToolVectors } from './tool-vectors.ts';

/**
 * The model at work beside the search. It makes the vectors of one catalogue after another; while it does, and after it failed,
 * searches go by words alone, so that no answer waits for vectors.
 */
export class BackgroundVectors {
  readonly #encoder: Encoder;
  readonly #cache: VectorCache | undefined;
  readonly #onFailure: (error: unknown) => void;
  readonly #waiting = new Set<ToolVectors>();
  #work: Promise<void> | undefined;
  #hasFailed = false;

  constructor(encoder: Encoder, cache: VectorCache | undefined, onFailure: (error: unknown) => void) {
    this.#encoder = encoder;
    this.#cache = cache;
    this.#onFailure = onFailure;
  }

  /** Vectors for one catalogue. */
  open(): ToolVectors {
    return new ToolVectors(this.#encoder, this.#cache);
  }

  /** Follows a catalogue and begins with what it lacks; returns at once. */
  follow(vectors: ToolVectors, tools: Iterable<SearchableTool>): void {
    vectors.follow(tools);
    if (vectors.isComplete || this.#hasFailed) return;
    this.#waiting.add(vectors);
    this.#work ??= this.#build();
  }

  /** What the model says of some queries, where it can say it now. */
  async ask(vectors: ToolVectors, queries: readonly string[]): Promise<Semantics | undefined> {
    if (this.#work !== undefined || this.#hasFailed || !vectors.isComplete) return undefined;
    try {
      return await vectors.ask(queries);
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  /** Resolves when every catalogue has its vectors, or none will get any. */
  async settled(): Promise<void> {
    await this.#work;
  }

  async #build(): Promise<void> {
    try {
      for (const vectors of this.#waiting) {
        // A catalogue that changes while it is built is put back, and comes again.
        this.#waiting.delete(vectors);
        await vectors.build();
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#work = undefined;
  }

  #fail(error: unknown): void {
    this.#waiting.clear();
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#onFailure(error);
  }
}

/** A model and the vectors that it makes for one catalogue. */
export interface SemanticSearch {
  readonly model: BackgroundVectors;
  readonly vectors: ToolVectors;
}
