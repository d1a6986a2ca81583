import { useState } from 'preact/hooks';
import { api, Problem } from '../data/api.ts';
import { bytes, count, tokens } from '../data/format.ts';
import { isOwner } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { route, setQuery } from '../data/router.ts';
import { Badge, Empty, LoadedView, PageTitle, Scroll } from '../parts/basics.tsx';
import { Line, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { BuildCache } from './build-cache.tsx';

interface Cache {
  readonly path: string;
  readonly has_manifest: boolean;
}

interface Inspection {
  readonly cache_version: string;
  readonly document_count: number;
  readonly total_bytes: number;
  readonly valid: boolean;
}

interface Document {
  readonly id: string;
  readonly content: string;
  readonly score: number;
  readonly tokens: number;
  readonly why: {
    readonly query_terms: readonly string[];
    readonly term_matches: number;
    readonly total_words: number;
  };
}

interface Selection {
  readonly documents: readonly Document[];
  readonly selection: {
    readonly budget: number;
    readonly tokens_used: number;
    readonly documents_considered: number;
    readonly documents_selected: number;
    readonly documents_excluded_by_budget: number;
  };
}

const BUDGET_MAX = 8_000;

/** Without any cache, the gateway has no folder for them, which is not an error. */
async function listCaches(): Promise<{ caches: Cache[] }> {
  try {
    return await api('/v1/context/caches');
  } catch (thrown) {
    if (thrown instanceof Problem && thrown.code === 'cache_missing') return { caches: [] };
    throw thrown;
  }
}

export function ContextPage() {
  const caches = useLoaded(listCaches, []);
  const asked = route.value.query;
  const [isBuilding, setBuilding] = useState(false);
  return (
    <>
      <PageTitle title={t.pages.context}>
        {isOwner.value && caches.value !== undefined && caches.value.caches.length > 0 && (
          <button type="button" onClick={() => setBuilding(true)}>
            {t.context.build}
          </button>
        )}
      </PageTitle>
      {isBuilding && (
        <BuildCache
          name={asked.get('cache') ?? caches.value?.caches[0]?.path ?? ''}
          onClose={() => {
            setBuilding(false);
            void caches.refresh();
          }}
        />
      )}
      <LoadedView of={caches} retry={caches.refresh}>
        {({ caches: all }) => {
          const cache = asked.get('cache') ?? all[0]?.path;
          return cache === undefined ? (
            <Empty text={t.context.none}>
              {isOwner.value ? (
                <button type="button" class="primary" onClick={() => setBuilding(true)}>
                  {t.context.build}
                </button>
              ) : (
                <pre>bindery context build --sources docs --cache caches/docs</pre>
              )}
            </Empty>
          ) : (
            <>
              <CacheTable caches={all} open={cache} />
              <Query key={cache} cache={cache} />
            </>
          );
        }}
      </LoadedView>
    </>
  );
}

function CacheTable({ caches, open }: { readonly caches: readonly Cache[]; readonly open: string }) {
  return (
    <Scroll>
      <table>
        <thead>
          <tr>
            <th>{t.context.cache}</th>
            <th class="number">{t.context.documents}</th>
            <th class="number">{t.context.size}</th>
            <th class="wide-only">{t.context.version}</th>
          </tr>
        </thead>
        <tbody>
          {caches.map((cache) => (
            <CacheRow key={cache.path} cache={cache} isOpen={cache.path === open} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function whyInvalid(cache: Cache, error: unknown): string {
  if (!cache.has_manifest) return t.context.noManifest;
  if (error === undefined) return t.context.notValid;
  if (!(error instanceof Problem)) return t.common.unreachable;
  return error.detail === undefined ? error.message : `${error.message}: ${error.detail}`;
}

function CacheRow({ cache, isOpen }: { readonly cache: Cache; readonly isOpen: boolean }) {
  const loaded = useLoaded(() => api<Inspection>(`/v1/context/caches/${encodeURIComponent(cache.path)}`), [cache.path]);
  const { value } = loaded;
  return (
    <tr class={isOpen ? 'open' : ''}>
      <td>
        <button type="button" class="link mono" aria-pressed={isOpen} onClick={() => setQuery({ cache: cache.path })}>
          <Line text={cache.path} max={100} />
        </button>{' '}
        {(!cache.has_manifest || value?.valid === false || loaded.error !== undefined) && (
          <>
            <Badge tone="failed">{t.context.invalid}</Badge>{' '}
            <span class="faint invalid-why">
              <Line text={whyInvalid(cache, loaded.error)} max={200} />
            </span>
          </>
        )}
      </td>
      <td class="number">{value ? count(value.document_count) : '–'}</td>
      <td class="number">{value ? bytes(value.total_bytes) : '–'}</td>
      <td class="mono cut wide-only">{value?.cache_version.slice(0, 19) ?? '–'}</td>
    </tr>
  );
}

function Query({ cache }: { readonly cache: string }) {
  const query = route.value.query.get('q') ?? '';
  const budget = Number(route.value.query.get('budget') ?? '1000');
  const [text, setText] = useState(query);
  const [amount, setAmount] = useState(budget);
  const ask: Ask = (most) => api('/v1/context/resolve', { method: 'POST', body: { cache, query, budget: most } });
  const loaded = useLoaded(() => (query === '' ? Promise.resolve(null) : ask(budget)), [cache, query, budget]);
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ q: text, budget: String(amount) });
        }}
      >
        <label class="grow">
          <span>{t.context.query}</span>
          <input value={text} placeholder={t.context.hint} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <label>
          <span>{t.context.budget(tokens(amount))}</span>
          <input
            type="range"
            min={100}
            max={BUDGET_MAX}
            step={100}
            value={amount}
            onInput={(event) => setAmount(Number(event.currentTarget.value))}
            onChange={(event) => query !== '' && setQuery({ budget: event.currentTarget.value })}
          />
        </label>
        <button type="submit" class="primary">
          {t.context.run}
        </button>
      </form>
      <LoadedView of={loaded} retry={loaded.refresh}>
        {(found) => (found === null ? <Empty text={t.context.empty} /> : <Result found={found} ask={ask} />)}
      </LoadedView>
    </>
  );
}

type Ask = (budget: number) => Promise<Selection>;

interface ResultProps {
  readonly found: Selection;
  readonly ask: Ask;
}

const LEFT_OUT_SHOWN = 20;
/** Large enough for any cache, so that the budget leaves nothing out. */
const WHOLE_BUDGET = 100_000_000;

/** The documents that the same query selects without a limit, minus those that fit the budget. */
function LeftOut({ found: { documents, selection }, ask }: ResultProps) {
  const loaded = useLoaded(() => ask(WHOLE_BUDGET), [selection.budget, documents.length]);
  const taken = new Set(documents.map(({ id }) => id));
  const remaining = selection.budget - selection.tokens_used;
  return (
    <section class="left-out" aria-label={t.context.leftOut}>
      <h2>{t.context.leftOut}</h2>
      <LoadedView of={loaded} retry={loaded.refresh} rows={2}>
        {(whole) => {
          const rest = whole.documents.filter(({ id }) => !taken.has(id));
          return (
            <Scroll>
              <table class="fold" style={{ '--fold': 'minmax(0, 1fr) 56px 52px' }}>
                <thead>
                  <tr>
                    <th>{t.context.document}</th>
                    <th class="number">{t.context.score}</th>
                    <th class="number">{t.tools.tokens}</th>
                    <th class="below">{t.context.whyNot}</th>
                  </tr>
                </thead>
                <tbody>
                  {rest.slice(0, LEFT_OUT_SHOWN).map((document) => (
                    <tr key={document.id}>
                      <td class="mono">
                        <Line text={document.id} max={100} />
                      </td>
                      <td class="number">{document.score.toFixed(4)}</td>
                      <td class="number">{tokens(document.tokens)}</td>
                      <td class="faint below">{t.context.noRoom(tokens(document.tokens), tokens(remaining))}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          );
        }}
      </LoadedView>
    </section>
  );
}

/** Each document as wide as its share of the budget. */
function Result({ found: { documents, selection }, ask }: ResultProps) {
  const [at, setAt] = useState(0);
  const open = documents[at];
  return (
    <>
      <p>
        {t.context.used(tokens(selection.tokens_used), tokens(selection.budget), count(selection.documents_considered))}{' '}
        {selection.documents_excluded_by_budget > 0 &&
          t.context.excluded(count(selection.documents_excluded_by_budget))}
      </p>
      <div class="budget" role="group" aria-label={t.context.scale}>
        {documents.map((document, index) => (
          <button
            key={document.id}
            type="button"
            aria-pressed={index === at}
            aria-label={`${document.id}: ${t.tools.tokenCount(tokens(document.tokens))}`}
            title={document.id}
            style={{ width: `${(100 * document.tokens) / Math.max(1, selection.budget)}%` }}
            onClick={() => setAt(index)}
          >
            <Line text={document.id} max={60} />
          </button>
        ))}
      </div>
      {documents.length === 0 && <Empty text={t.context.nothing} />}
      {open && (
        <article class="detail">
          <header>
            <h2 class="mono">
              <Line text={open.id} max={120} />
            </h2>
            <span class="faint">
              {t.context.why(open.why.query_terms.join(', '), open.why.term_matches, open.why.total_words)}
            </span>
          </header>
          <dl class="facts">
            <dt>{t.context.score}</dt>
            <dd>{open.score.toFixed(4)}</dd>
            <dt>{t.tools.tokens}</dt>
            <dd>{tokens(open.tokens)}</dd>
          </dl>
          <pre class="document">
            <Shown text={open.content} fold={3_000} />
          </pre>
        </article>
      )}
      {selection.documents_excluded_by_budget > 0 && <LeftOut found={{ documents, selection }} ask={ask} />}
    </>
  );
}
