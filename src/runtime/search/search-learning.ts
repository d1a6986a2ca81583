import type { Log } from '../../contract/ports.ts';
import { type EndedCall, type LearnedCall, QueryLearner } from '../../gateway/search/ranking/query-learner.ts';
import { vectorKey } from '../../gateway/search/vectors/tool-vectors.ts';
import type { LearnedQueries } from '../../proxy/lists/profile-search.ts';
import { MINILM_ID } from '../../store/search/minilm-encoder.ts';
import type { SearchStore } from '../../store/search/search-store.ts';
import { UP_LIMITS } from '../limits.ts';

export interface SearchLearningOptions {
  openStore(): SearchStore;
  /** Whether a store exists. */
  hasStore(): boolean;
  find(profile: string, query: string): Promise<readonly string[]>;
  /** Calls of the audit log that ended since the last `takeEnded`. */
  takeEnded(): Iterable<EndedCall>;
  /** Skips calls that ended before now. */
  skipEnded(): void;
  readonly log: Log;
}

const NOTHING: LearnedQueries = { of: () => [] };

/** Learns from calls which queries lead to which tools. Switching it off deletes what was learned. */
export class SearchLearning {
  readonly #options: SearchLearningOptions;
  /** Undefined before the config is known. */
  #isOn: boolean | undefined;
  #learner: QueryLearner | undefined;
  #learned: LearnedQueries = NOTHING;
  #timer: NodeJS.Timeout | undefined;
  #learning: Promise<void> = Promise.resolve();

  constructor(options: SearchLearningOptions) {
    this.#options = options;
  }

  get learned(): LearnedQueries {
    return this.#learned;
  }

  configure(isOn: boolean): void {
    if (isOn === this.#isOn) return;
    const { skipEnded, find, openStore, hasStore } = this.#options;
    if (isOn) {
      // Calls that ended before it was switched on are not used.
      skipEnded();
      this.#learner = new QueryLearner(find);
      this.#learned = byTool(openStore().learned());
    } else {
      this.#learner = undefined;
      this.#learned = NOTHING;
      if (hasStore()) forget(openStore());
    }
    this.#isOn = isOn;
  }

  /** A call has ended: schedules learning from it in the background. */
  noteCall(): void {
    if (!this.#learner || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#learning = this.#learning.then(() => this.#learn());
    }, UP_LIMITS.learnAfterMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#learning;
  }

  async #learn(): Promise<void> {
    const { takeEnded, openStore, log } = this.#options;
    try {
      const learned: LearnedCall[] = [];
      for (const call of takeEnded()) {
        const pair = await this.#learner?.learn(call);
        if (pair) learned.push(pair);
      }
      // It may have been switched off in the meantime.
      if (!this.#learner || learned.length === 0) return;
      const store = openStore();
      store.learn(learned);
      this.#learned = byTool(store.learned());
    } catch (error) {
      log.warn('the tool search could not learn from the last calls', { error });
    }
  }
}

function forget(store: SearchStore): void {
  const learned = store.learned();
  if (learned.length > 0) store.forget(learned.map(({ query }) => vectorKey(MINILM_ID, query)));
}

function byTool(learned: readonly LearnedCall[]): LearnedQueries {
  const queries = Map.groupBy(learned, ({ server, tool }) => `${server}\n${tool}`);
  return { of: (server, tool) => queries.get(`${server}\n${tool}`)?.map(({ query }) => query) ?? [] };
}
