import { toBinderyError } from '../../contract/errors.ts';
import type { Log } from '../../contract/ports.ts';
import { BackgroundVectors } from '../../gateway/search/vectors/background-vectors.ts';
import { type ClosableEncoder, lazyEncoder } from '../../gateway/search/vectors/encoder.ts';
import { MINILM_ID, openMiniLmEncoder } from '../../store/search/minilm-encoder.ts';
import type { SearchStore } from '../../store/search/search-store.ts';

export interface SearchModelOptions {
  readonly store: SearchStore;
  /** MiniLM by default. */
  readonly openEncoder?: (() => Promise<ClosableEncoder>) | undefined;
  readonly log: Log;
}

/** The model of the tool search, opened on first use. Without it the search uses words only. */
export class SearchModel {
  readonly vectors: BackgroundVectors;
  #opened: Promise<ClosableEncoder> | undefined;
  #isClosed = false;

  constructor({ store, openEncoder = openMiniLmEncoder, log }: SearchModelOptions) {
    const encoder = lazyEncoder(MINILM_ID, async () => {
      if (this.#isClosed) throw new Error('it was switched off');
      this.#opened = openEncoder();
      return this.#opened;
    });
    this.vectors = new BackgroundVectors(encoder, store, (error) => {
      if (!this.#isClosed)
        log.warn('the tool search continues without the model', { error, next: toBinderyError(error).next });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#opened?.catch(() => undefined))?.close();
  }
}
