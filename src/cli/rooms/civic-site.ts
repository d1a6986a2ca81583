import { hash, randomUUID } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { LOCALES, type Locale } from '../../civic/config.ts';
import type { Corpus } from '../../civic/corpus/corpus-builder.ts';
import { listProvidersBy, type ProviderSource, shownIds } from '../../civic/providers/directory.ts';
import type { PageSource, PathHealth } from '../../civic/reads/ports.ts';
import { PAGE_HEADERS } from '../../civic/reads/prefers-html.ts';
import { hideErased } from '../../civic/site/hide-erased.ts';
import { PageFrame } from '../../civic/site/layout.ts';
import { searchPage } from '../../civic/site/other-pages.ts';
import { type SitePage, sitePages } from '../../civic/site/site.ts';
import type { LinkState, SiteHistory, SiteSource } from '../../civic/site/site-source.ts';
import { skillPage } from '../../civic/site/skill-page.ts';
import { BinderyError } from '../../contract/errors.ts';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import { problemResponse } from '../../http/app.ts';
import { matchesEtag } from '../../http/etag.ts';
import { VERSION } from '../../runtime/version.ts';
import { GitHistory } from '../../store/corpus/git-history.ts';
import { readPageFiles } from '../../store/corpus/page-files.ts';

/** The hash by which a server orders providers. */
export const sha256 = (text: string) => hash('sha256', text);

export const SITE_PREFIX = '/site/';
/** Maximum age of the history. */
const HISTORY_MS = 5000;
const CACHE = 'public, max-age=60, s-maxage=60';
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  atom: 'application/atom+xml; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  html: PAGE_HEADERS['content-type'],
};

export interface LiveSiteOptions {
  readonly dir: string;
  readonly name: string;
  corpus(): Corpus | undefined;
  readonly health: PathHealth;
  linkState(artefactId: string, url: string): LinkState;
  readonly providers: ProviderSource;
  /** Submissions whose text was erased, also by a command that runs beside the server. */
  readonly erasures: { count(): number; ids(): ReadonlySet<string> };
  readonly clock: Clock;
  baseUrl(): string;
  readonly log: Log;
}

/** The served site of the corpus; pages are rendered on first use. */
export class LiveSite implements PageSource {
  readonly #options: LiveSiteOptions;
  readonly #git: GitHistory;
  readonly #reading: FailureReport;
  #history: SiteHistory;
  #readAt = 0;
  #made:
    | { key: string; site: SiteSource; pages: ReadonlyMap<string, SitePage>; texts: Map<string, string> }
    | undefined;

  constructor(options: LiveSiteOptions) {
    this.#options = options;
    this.#git = new GitHistory(options.dir);
    this.#reading = new FailureReport(options.log, {
      failing: 'the history of the corpus cannot be read',
      again: 'the history of the corpus is read again',
    });
  }

  /** Reads the git history, which may change without the corpus itself. */
  async refresh(): Promise<void> {
    this.#readAt = Date.now();
    try {
      this.#history = await this.#git.read();
      this.#reading.succeeded();
    } catch (error) {
      this.#reading.failed(error);
    }
    this.#made = undefined;
  }

  skillPage(id: string): { text: string; key: string } | undefined {
    const made = this.#current();
    const page = made?.pages.get(`skills/${id}.html`);
    const skill = made?.site.corpus.snapshot.skills.find((one) => one.id === id);
    if (!made || !page || !skill) return undefined;
    const frame = new PageFrame(made.site, 'en', `skills/${id}.html`, '../../site/');
    return { text: skillPage(frame, skill), key: page.key };
  }

  /** `admit` throws for readers above their limit. */
  serve(app: Hono, admit: (context: Context) => void): void {
    app.get('/site', (context) => context.redirect('site/', 308));
    app.get(`${SITE_PREFIX}*`, (context) => {
      try {
        admit(context);
      } catch (thrown) {
        if (!(thrown instanceof BinderyError)) throw thrown;
        return problemResponse(thrown, randomUUID());
      }
      return this.#answer(context);
    });
  }

  #answer(context: Context): Response {
    const path = decodePath(context.req.path.slice(SITE_PREFIX.length));
    // A keeper may commit without changing a file. A visit to the history starts a new read for the next visit.
    if (/history|changes/.test(path) && Date.now() - this.#readAt > HISTORY_MS) void this.refresh();
    const made = this.#current();
    const query = context.req.query('q');
    const locale = LOCALES.find((one) => one !== 'en' && path.startsWith(`${one}/`)) ?? 'en';
    if (!made)
      return new Response('The corpus cannot be served now.\n', { status: 503, headers: { 'retry-after': '60' } });
    const page = made.pages.get(path);
    if (!page || (path.endsWith('search.html') && query !== undefined)) {
      return this.#found(made.site, locale, { path, query: (query ?? '').slice(0, 200), status: page ? 200 : 404 });
    }
    const etag = `"${page.key}"`;
    const headers = { ...headersOf(path), 'cache-control': CACHE, etag };
    if (matchesEtag(context.req.header('if-none-match'), etag)) return new Response(null, { status: 304, headers });
    let text = made.texts.get(path);
    if (text === undefined) {
      text = page.render();
      made.texts.set(path, text);
    }
    return new Response(text, { headers });
  }

  /** The answer to a search. For a missing page it lists all entries. */
  #found(site: SiteSource, locale: Locale, asked: { path: string; query: string; status: number }): Response {
    const root = '../'.repeat(asked.path.split('/').length - 1);
    const frame = new PageFrame(site, locale, 'search.html', root);
    return new Response(searchPage(frame, asked.query), {
      status: asked.status,
      headers: { ...PAGE_HEADERS, 'cache-control': 'no-store' },
    });
  }

  #current() {
    const { corpus: current, health, linkState, providers, erasures, clock, name, baseUrl, dir } = this.#options;
    const corpus = current();
    if (!corpus) return undefined;
    const now = clock.now();
    const key = `${corpus.snapshot.version} ${health.revision()} ${shownIds(providers, now)} ${erasures.count()}`;
    if (this.#made?.key === key && this.#made.site.corpus === corpus) return this.#made;
    const site: SiteSource = {
      corpus,
      history: hideErased(this.#history, erasures.ids()),
      health,
      linkState,
      providers: (category) => listProvidersBy(sha256, providers, category, now) ?? [],
      pages: readPageFiles(dir),
      name,
      baseUrl: `${baseUrl()}/site`,
      isLive: true,
      program: VERSION,
    };
    this.#made = { key, site, pages: sitePages(site), texts: new Map() };
    return this.#made;
  }
}

function headersOf(path: string): Record<string, string> {
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return path.endsWith('.html') ? { ...PAGE_HEADERS } : { 'content-type': type, 'x-content-type-options': 'nosniff' };
}

function decodePath(raw: string): string {
  const path = raw === '' || raw.endsWith('/') ? `${raw}index.html` : raw;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
