import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toBinderyError } from '../../contract/errors.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import { type EndedCall, type LearnedCall, QueryLearner } from '../../gateway/search/ranking/query-learner.ts';
import { BackgroundVectors } from '../../gateway/search/vectors/background-vectors.ts';
import { type ClosableEncoder, lazyEncoder } from '../../gateway/search/vectors/encoder.ts';
import { vectorKey } from '../../gateway/search/vectors/tool-vectors.ts';
import { type CountTokens, countTokens } from '../../gateway/search/words/tokens.ts';
import type { GatewaySettings } from '../../host/config/gateway-settings.ts';
import type { LearnedQueries, SearchAids } from '../../proxy/lists/profile-search.ts';
import type { ProfileView } from '../../proxy/lists/profile-view.ts';
import { MINILM_ID, openMiniLmEncoder } from '../../store/search/minilm-encoder.ts';
import { SearchStore } from '../../store/search/search-store.ts';
import { UP_LIMITS } from '../limits.ts';

export interface RunningSearchOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly clock: Clock;
  settings(): GatewaySettings['search'];
  /** The MiniLM model unless said otherwise. */
  openEncoder?(): Promise<ClosableEncoder>;
  /** The profiles that are served. */
  views(): readonly ProfileView[];
  /** Counts tokens and remembers what it counted. */
  readonly countTokens?: CountTokens;
  /** Calls of the audit log, as they end. */
  readonly ended: { skip(): void; take(): Iterable<EndedCall> };
}

const DAY_MS = 86_400_000;

/** The model and what was learnt, each only where the person's config switches it on. */
export class RunningSearch implements SearchAids {
  readonly #options: RunningSearchOptions;
  #store: SearchStore | undefined;
  #model: { readonly vectors: BackgroundVectors; readonly close: () => Promise<void> } | undefined;
  /** Undefined before the config is known. */
  #isLearning: boolean | undefined;
  #learner: QueryLearner | undefined;
  #learned: LearnedQueries = NOTHING;
  /** By profile: the pinned tools that were told of. */
  readonly #leftOut = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #preparing: NodeJS.Timeout | undefined;
  #learning: Promise<void> = Promise.resolve();
  #keeping: Promise<void> = Promise.resolve();
  /** The day on which it was last noted which vectors are wanted. */
  #keptOn = 0;

  constructor(options: RunningSearchOptions) {
    this.#options = options;
  }

  get countTokens(): CountTokens {
    return this.#options.countTokens ?? countTokens;
  }

  model(): BackgroundVectors | undefined {
    return this.#model?.vectors;
  }

  learned(): LearnedQueries {
    return this.#learned;
  }

  /** Takes over what the config says now. Switching learning off forgets what was learnt. */
  configure(): void {
    const { semantic = false, learn = false } = this.#options.settings() ?? {};
    if (learn !== this.#isLearning) this.#setLearning(learn);
    this.#isLearning = learn;
    if (semantic && !this.#model) this.#model = this.#openModel();
    if (!semantic && this.#model) {
      void this.#model.close();
      this.#model = undefined;
    }
    if (!semantic && !learn) this.#closeStore();
  }

  /** A call has ended: what it teaches is learnt soon, beside the calls. */
  noteCall(): void {
    if (!this.#learner || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#learning = this.#learning.then(() => this.#learn());
    }, UP_LIMITS.learnAfterMs);
    this.#timer.unref();
  }

  /**
   * The catalogue has changed: its vectors are made before somebody searches, and pinned tools that do not fit are told of. Changes
   * that come together are one.
   */
  prepareSoon(): void {
    if (this.#preparing) return;
    this.#preparing = setTimeout(() => {
      this.#preparing = undefined;
      for (const view of this.#searched()) this.#prepare(view);
      this.#keeping = this.#keeping.then(() => this.#keepVectors());
    }, UP_LIMITS.prepareSearchAfterMs);
    this.#preparing.unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    clearTimeout(this.#preparing);
    await this.#learning;
    await this.#model?.close();
    await this.#model?.vectors.settled();
    await this.#keeping;
    this.#closeStore();
  }

  #searched(): ProfileView[] {
    return this.#options.views().filter(({ isBare }) => !isBare);
  }

  /** Once a day, when the catalogues have their vectors: those of tools that are no more are dropped after a while. */
  async #keepVectors(): Promise<void> {
    const today = Math.floor(this.#options.clock.now() / DAY_MS);
    if (this.#keptOn === today || !this.#model) return;
    try {
      await this.#model.vectors.settled();
      const keys = this.#searched().flatMap((view) => view.search().vectorKeys());
      if (keys.length === 0) return;
      await this.#store?.keep(keys);
      this.#keptOn = today;
    } catch (error) {
      this.#options.log.warn('unused vectors could not be deleted', { error });
    }
  }

  #prepare(view: ProfileView): void {
    const { name, search: settings } = view.settings;
    const hasPinned = settings !== undefined && settings.pinned.length > 0;
    if ((!this.#model && !hasPinned) || view.search().mode !== 'search') return;
    view.search().prepare();
    const left = view.search().leftOut.join(', ');
    if (left !== '' && left !== this.#leftOut.get(name))
      this.#options.log.warn('pinned tools do not fit into 1,000 tokens and are not listed', { profile: name, left });
    this.#leftOut.set(name, left);
  }

  #openModel() {
    const { openEncoder = openMiniLmEncoder, log } = this.#options;
    let opened: Promise<ClosableEncoder> | undefined;
    let isClosed = false;
    const encoder = lazyEncoder(MINILM_ID, async () => {
      if (isClosed) throw new Error('it was switched off');
      opened = openEncoder();
      return opened;
    });
    const vectors = new BackgroundVectors(encoder, this.#openStore(), (error) => {
      if (!isClosed)
        log.warn('the tool search continues without the model', { error, next: toBinderyError(error).next });
    });
    const close = async () => {
      isClosed = true;
      await (await opened?.catch(() => undefined))?.close();
    };
    return { vectors, close };
  }

  #setLearning(learn: boolean): void {
    const { ended, dataDir } = this.#options;
    if (learn) {
      // What ended before was not meant to be learnt from.
      ended.skip();
      this.#learner = new QueryLearner((profile, query) => this.#find(profile, query));
      this.#learned = byTool(this.#openStore().learned());
      return;
    }
    this.#learner = undefined;
    this.#learned = NOTHING;
    if (existsSync(join(dataDir, FILE))) forget(this.#openStore());
  }

  async #learn(): Promise<void> {
    try {
      const learned: LearnedCall[] = [];
      for (const call of this.#options.ended.take()) {
        const pair = await this.#learner?.learn(call);
        if (pair) learned.push(pair);
      }
      // It may have been switched off meanwhile.
      if (!this.#learner || learned.length === 0) return;
      const store = this.#openStore();
      store.learn(learned);
      this.#learned = byTool(store.learned());
    } catch (error) {
      this.#options.log.warn('the tool search could not learn from the last calls', { error });
    }
  }

  async #find(profile: string, query: string): Promise<readonly string[]> {
    const view = this.#options.views().find(({ settings }) => settings.name === profile);
    return view ? view.search().names(query) : [];
  }

  #openStore(): SearchStore {
    this.#store ??= new SearchStore(join(this.#options.dataDir, FILE), this.#options.clock);
    return this.#store;
  }

  #closeStore(): void {
    this.#store?.close();
    this.#store = undefined;
  }
}

const FILE = 'search.db';
const NOTHING: LearnedQueries = { of: () => [] };

function forget(store: SearchStore): void {
  const learned = store.learned();
  if (learned.length > 0) store.forget(learned.map(({ query }) => vectorKey(MINILM_ID, query)));
}

function byTool(learned: readonly LearnedCall[]): LearnedQueries {
  const queries = Map.groupBy(learned, ({ server, tool }) => `${server}\n${tool}`);
  return { of: (server, tool) => queries.get(`${server}\n${tool}`)?.map(({ query }) => query) ?? [] };
}
