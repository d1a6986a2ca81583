import type { Semantics } from '../ranking/rank-tools.ts';
import type { SearchableTool } from '../searchable-tool.ts';
import type { Encoder, VectorCache } from './encoder.ts';
import { ToolVectors } from './tool-vectors.ts';

/**
 * Computes vectors in the background, one catalogue after another. Until they are ready, and after a failure, searches use words only,
 * so that no answer waits for vectors.
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

  /** Creates the vectors of one catalogue. */
  open(): ToolVectors {
    return new ToolVectors(this.#encoder, this.#cache);
  }

  /** Follows a catalogue and starts to compute missing vectors; returns immediately. */
  follow(vectors: ToolVectors, tools: Iterable<SearchableTool>): void {
    vectors.follow(tools);
    if (vectors.isComplete || this.#hasFailed) return;
    this.#waiting.add(vectors);
    this.#work ??= this.#build();
  }

  /** The model's similarities for some queries, if available now. */
  async ask(vectors: ToolVectors, queries: readonly string[]): Promise<Semantics | undefined> {
    if (this.#work !== undefined || this.#hasFailed || !vectors.isComplete) return undefined;
    try {
      return await vectors.ask(queries);
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  /** Resolves when every catalogue has its vectors, or when the model has failed. */
  async settled(): Promise<void> {
    await this.#work;
  }

  async #build(): Promise<void> {
    try {
      for (const vectors of this.#waiting) {
        // A catalogue that changes during this is queued again.
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
