import type { Corpus } from '../corpus/corpus-builder.ts';
import type { ServedProvider } from '../providers/directory.ts';
import type { PathHealth } from '../reads/ports.ts';

/** One commit of the corpus. */
export interface SiteChange {
  readonly id: string;
  readonly at: number;
  readonly subject: string;
  /** The message below the subject. */
  readonly body: string;
  readonly files: readonly { readonly path: string; readonly diff: string }[];
  /** Its submission was erased: there are no words and no diff. */
  readonly isErased?: true;
}

/** The changes of a corpus, latest first; undefined without history. */
export type SiteHistory = readonly SiteChange[] | undefined;

export type LinkState = 'reached' | 'dead' | 'unchecked';

/** Everything that pages are rendered from. */
export interface SiteSource {
  readonly corpus: Corpus;
  readonly history: SiteHistory;
  readonly health: PathHealth;
  linkState(artefactId: string, url: string): LinkState;
  /** The eligible providers of a category in today's order; none if there are too few to choose from. */
  providers(category: string): readonly ServedProvider[];
  /** Markdown of the maintainers' own pages, by name: `principles`, `policy.fr`. */
  readonly pages: ReadonlyMap<string, string>;
  /** Name of the site. */
  readonly name: string;
  /** Public base URL, for feeds and structured data; undefined if unknown. */
  readonly baseUrl: string | undefined;
  /** Whether a server runs: search works without a script, and there is an API next to the pages. */
  readonly isLive: boolean;
  /** Changes whenever the rendering program changes. */
  readonly program: string;
}
