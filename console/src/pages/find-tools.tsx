import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { count, tokens } from '../data/format.ts';
import { useLoaded } from '../data/loaded.ts';
import { href, route, setQuery } from '../data/router.ts';
import { Empty, LoadedView } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface Found {
  readonly tools: readonly {
    readonly name: string;
    readonly server: string;
    readonly description: string;
    readonly score: number;
    readonly reasons: readonly { readonly term: string; readonly field: string; readonly score: number }[];
  }[];
  readonly matched: number;
  readonly omitted: number;
  readonly budget: { readonly limit: number; readonly used: number };
  readonly missing: readonly string[];
}

/** The search of `find_tools`: what an agent would see, why, and what was left out. */
export function FindTools() {
  const query = route.value.query.get('q') ?? '';
  const [text, setText] = useState(query);
  const loaded = useLoaded(
    () => (query === '' ? Promise.resolve(null) : api<Found>('/v1/tools/find', { method: 'POST', body: { query } })),
    [query],
  );
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ q: text });
        }}
      >
        <label class="grow">
          <span>{t.find.question}</span>
          <input value={text} placeholder={t.find.hint} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button type="submit" class="primary">
          {t.find.run}
        </button>
      </form>
      <LoadedView of={loaded} retry={loaded.refresh}>
        {(found) => (found === null ? <Empty text={t.find.empty} /> : <Answer found={found} query={query} />)}
      </LoadedView>
    </>
  );
}

/** The limits of one answer; tools beyond them are only counted. */
const LARGEST = { budget: 100_000, limit: 50 } as const;

/** The answer to the same query with larger limits. */
function LeftOut({ found, query }: AnswerProps) {
  const loaded = useLoaded(
    () => api<Found>('/v1/tools/find', { method: 'POST', body: { query, ...LARGEST } }),
    [query],
  );
  const shown = new Set(found.tools.map(({ name }) => name));
  return (
    <section aria-label={t.find.leftOut}>
      <h2>{t.find.leftOut}</h2>
      <LoadedView of={loaded} retry={loaded.refresh} rows={2}>
        {({ tools }) => (
          <p>
            {tools
              .filter(({ name }) => !shown.has(name))
              .map(({ name, score }) => (
                <a key={name} class="mono spaced" href={href('tools', name)} title={String(score)}>
                  <Line text={name} max={80} />
                </a>
              ))}
          </p>
        )}
      </LoadedView>
    </section>
  );
}

interface AnswerProps {
  readonly found: Found;
  readonly query: string;
}

function Answer({ found, query }: AnswerProps) {
  const best = Math.max(1, ...found.tools.map(({ score }) => score));
  return (
    <>
      <p>
        {t.find.answer(
          count(found.tools.length),
          count(found.matched),
          tokens(found.budget.used),
          tokens(found.budget.limit),
        )}
        {found.omitted > 0 && ` ${t.find.omitted(count(found.omitted))}`}
        {found.missing.length > 0 && ` ${t.find.missing(found.missing.join(', '))}`}
      </p>
      {found.tools.length === 0 ? (
        <Empty text={t.find.none} />
      ) : (
        <ol class="found">
          {found.tools.map((tool) => (
            <li key={tool.name}>
              <a class="mono" href={href('tools', tool.name)}>
                <Line text={tool.name} max={100} />
              </a>
              <span class="score" title={String(tool.score)}>
                <span style={{ width: `${(100 * tool.score) / best}%` }} />
              </span>
              <p>
                <Line text={tool.description} max={240} isEscaped />
              </p>
              <p class="faint">
                {tool.reasons.map(({ term, field }) => (
                  <span key={`${term} ${field}`} class="reason">
                    <q>{term}</q> {t.find.fields[field as keyof typeof t.find.fields] ?? field}
                  </span>
                ))}
              </p>
            </li>
          ))}
        </ol>
      )}
      {found.omitted > 0 && <LeftOut found={found} query={query} />}
    </>
  );
}
