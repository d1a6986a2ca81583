import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { useLoaded } from '../data/loaded.ts';
import { LoadedView } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface CatalogEntry {
  readonly name: string;
  readonly description: string;
  readonly transport: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly env: readonly { readonly name: string; readonly required: boolean }[];
  readonly trust: string | null;
}

const SHOWN = 8;

/** Well-known servers by purpose; choosing one puts its config into the field, where the person fills in blanks. */
export function ServerCatalog({ onChoose }: { readonly onChoose: (config: string) => void }) {
  const [query, setQuery] = useState('');
  const loaded = useLoaded(
    () => api<{ items: CatalogEntry[] }>('/v1/catalog', { query: { query, limit: SHOWN } }),
    [query],
  );
  return (
    <section aria-label={t.servers.wellKnown}>
      <h2>{t.servers.wellKnown}</h2>
      <label>
        {t.servers.whatFor}
        <input value={query} onInput={(event) => setQuery(event.currentTarget.value)} />
      </label>
      <LoadedView of={loaded} retry={loaded.refresh} rows={SHOWN}>
        {({ items }) => (
          <ul class="catalog">
            {items.map((entry) => (
              <li key={entry.name}>
                <button type="button" onClick={() => onChoose(configOf(entry))}>
                  {t.servers.choose}
                  <span class="visually-hidden">
                    {' '}
                    <Line text={entry.name} max={60} />
                  </span>
                </button>
                <span>
                  <span class="mono">
                    <Line text={entry.name} max={60} />
                  </span>{' '}
                  <Line text={entry.description} max={160} />
                  <span class="faint block">
                    <Line text={entry.trust ?? ''} max={200} />
                  </span>
                </span>
              </li>
            ))}
            {items.length === 0 && <li class="faint">{t.servers.noneKnown}</li>}
          </ul>
        )}
      </LoadedView>
    </section>
  );
}

function configOf({ name, transport, command, args, url, env }: CatalogEntry): string {
  const needed = env.filter(({ required }) => required).map((one) => [one.name, '']);
  const variables = needed.length === 0 ? {} : { env: Object.fromEntries(needed) };
  const entry = command === undefined ? { transport, url } : { command, args, ...variables };
  return JSON.stringify({ mcpServers: { [name]: entry } }, null, 2);
}
