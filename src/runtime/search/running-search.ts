import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Log } from '../../contract/ports.ts';
import { type CountTokens, countTokens } from '../../gateway/search/words/tokens.ts';
import type { GatewaySettings } from '../../host/config/gateway-settings.ts';
import type { SearchAids } from '../../proxy/lists/profile-search.ts';
import type { ProfileView } from '../../proxy/lists/profile-view.ts';
import { SearchStore } from '../../store/search/search-store.ts';
import { UP_LIMITS } from '../limits.ts';
import { SearchLearning, type SearchLearningOptions } from './search-learning.ts';
import { SearchModel, type SearchModelOptions } from './search-model.ts';

export interface RunningSearchOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly clock: Clock;
  settings(): GatewaySettings['search'];
  readonly openEncoder?: SearchModelOptions['openEncoder'];
  /** The profiles that are served. */
  views(): readonly ProfileView[];
  /** Counts tokens and caches the counts. */
  readonly countTokens?: CountTokens;
  /** Calls of the audit log, as they end. */
  readonly ended: { skip(): void; readonly take: SearchLearningOptions['takeEnded'] };
}

const DAY_MS = 86_400_000;

/** The model and the learned queries, each only if the person's config enables it. */
export class RunningSearch implements SearchAids {
  readonly #options: RunningSearchOptions;
  readonly #file: string;
  readonly #learning: SearchLearning;
  #store: SearchStore | undefined;
  #model: SearchModel | undefined;
  /** Per profile: the reported pinned tools that do not fit. */
  readonly #leftOut = new Map<string, string>();
  #preparing: NodeJS.Timeout | undefined;
  #keeping: Promise<void> = Promise.resolve();
  /** The day on which the used vectors were last recorded. */
  #keptOn = 0;

  constructor(options: RunningSearchOptions) {
    this.#options = options;
    this.#file = join(options.dataDir, 'search.db');
    this.#learning = new SearchLearning({
      openStore: () => this.#openStore(),
      hasStore: () => existsSync(this.#file),
      find: (profile, query) => this.#find(profile, query),
      takeEnded: () => options.ended.take(),
      skipEnded: () => options.ended.skip(),
      log: options.log,
    });
  }

  get countTokens(): CountTokens {
    return this.#options.countTokens ?? countTokens;
  }

  model(): SearchModel['vectors'] | undefined {
    return this.#model?.vectors;
  }

  learned(): SearchLearning['learned'] {
    return this.#learning.learned;
  }

  /** Applies the current config. */
  configure(): void {
    const { semantic = false, learn = false } = this.#options.settings() ?? {};
    this.#learning.configure(learn);
    if (semantic && !this.#model) this.#model = new SearchModel({ ...this.#options, store: this.#openStore() });
    if (!semantic && this.#model) {
      void this.#model.close();
      this.#model = undefined;
    }
    if (!semantic && !learn) this.#closeStore();
  }

  /** A call has ended: schedules learning from it in the background. */
  noteCall(): void {
    this.#learning.noteCall();
  }

  /** The catalogue has changed: schedules the creation of vectors, and reports pinned tools that do not fit. Debounced. */
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
    clearTimeout(this.#preparing);
    await this.#learning.close();
    await this.#model?.close();
    await this.#model?.vectors.settled();
    await this.#keeping;
    this.#closeStore();
  }

  #searched(): ProfileView[] {
    return this.#options.views().filter(({ isBare }) => !isBare);
  }

  /** Once a day, after all vectors were created: records which are in use, so that unused ones are deleted later. */
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

  async #find(profile: string, query: string): Promise<readonly string[]> {
    const view = this.#options.views().find(({ settings }) => settings.name === profile);
    return view ? view.search().names(query) : [];
  }

  #openStore(): SearchStore {
    this.#store ??= new SearchStore(this.#file, this.#options.clock);
    return this.#store;
  }

  #closeStore(): void {
    this.#store?.close();
    this.#store = undefined;
  }
}
