import type { Corpus } from '../corpus/corpus-builder.ts';
import type { ServedProvider } from '../providers/directory.ts';
import type { PathHealth } from '../reads/ports.ts';

/** One change of the corpus, as the history has it. */
export interface SiteChange {
  readonly id: string;
  readonly at: number;
  readonly subject: string;
  /** The message below the subject. */
  readonly body: string;
  readonly files: readonly { readonly path: string; readonly diff: string }[];
}

/** The changes of a corpus, the latest first; undefined: no history is kept. */
export type SiteHistory = readonly SiteChange[] | undefined;

export type LinkState = 'reached' | 'dead' | 'unchecked';

/** All that pages are made of. */
export interface SiteSource {
  readonly corpus: Corpus;
  readonly history: SiteHistory;
  readonly health: PathHealth;
  linkState(artefactId: string, url: string): LinkState;
  /** The eligible providers of a category in the order of the day; none where there are too few to choose from. */
  providers(category: string): readonly ServedProvider[];
  /** Markdown of pages that the keepers write themselves, by name: `principles`, `policy.fr`. */
  readonly pages: ReadonlyMap<string, string>;
  /** What the site is called. */
  readonly name: string;
  /** Where the site will be read, for feeds and structured data; undefined: not known. */
  readonly baseUrl: string | undefined;
  /** A server answers: search works without a script, and there is an API beside the pages. */
  readonly isLive: boolean;
  /** Differs whenever the program that makes the pages differs. */
  readonly program: string;
}
