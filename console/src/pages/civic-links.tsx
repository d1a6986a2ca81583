import { api } from '../data/api.ts';
import { count } from '../data/format.ts';
import { useLoaded } from '../data/loaded.ts';
import { Ago, Badge, Empty, LoadedView, Scroll } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface Path {
  readonly id: string;
  readonly title?: string;
  readonly health: 'ok' | 'degraded';
  readonly sources: readonly {
    readonly id: string;
    readonly url?: string;
    readonly health: keyof typeof TONES;
    readonly last_validated: string | null;
    readonly fallback_only?: boolean;
  }[];
}

const TONES = { ok: 'ok', suspect: 'warning', degraded: 'failed', deprecated: 'off' } as const;
const ORDER = ['degraded', 'deprecated', 'suspect', 'ok'] as const;

/** Every source of every path, unhealthy ones first. */
export function LinkHealth() {
  const loaded = useLoaded(() => api<{ paths: Path[] }>('/api/paths'), []);
  return (
    <LoadedView of={loaded} retry={loaded.refresh}>
      {({ paths }) => {
        const rows = paths
          .flatMap((path) => path.sources.map((source) => ({ path, source })))
          .sort((a, b) => ORDER.indexOf(a.source.health) - ORDER.indexOf(b.source.health));
        if (rows.length === 0) return <Empty text={t.civic.noPaths} />;
        const ill = rows.filter(({ source }) => source.health !== 'ok').length;
        const isTried = rows.some(({ source }) => source.last_validated !== null);
        return (
          <>
            <p>
              {ill > 0 ? (
                <Badge tone="warning">{t.civic.ill(count(ill), count(rows.length))}</Badge>
              ) : isTried ? (
                <Badge tone="ok">{t.civic.allWell(count(rows.length))}</Badge>
              ) : (
                <Badge tone="off">{t.civic.noneTried(count(rows.length))}</Badge>
              )}
            </p>
            <Scroll>
              <table class="fold" style={{ '--fold': '84px minmax(0, 1fr) max-content' }}>
                <thead>
                  <tr>
                    <th>{t.civic.state}</th>
                    <th>{t.civic.path}</th>
                    <th>{t.civic.source}</th>
                    <th class="below">{t.civic.address}</th>
                    <th class="below">{t.civic.validated}</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map(({ path, source }) => (
                    <tr key={`${path.id} ${source.id}`}>
                      <td>
                        {source.health === 'ok' && source.last_validated === null ? (
                          <Badge tone="off">{t.civic.untried}</Badge>
                        ) : (
                          <Badge tone={TONES[source.health]}>{source.health}</Badge>
                        )}
                      </td>
                      <td>
                        <Line text={path.title ?? path.id} max={80} />
                      </td>
                      <td class="mono">
                        <Line text={source.id} max={60} />
                      </td>
                      <td class="mono cut below" data-label={t.civic.address}>
                        <Line text={source.url ?? '–'} max={120} />
                      </td>
                      <td class="below" data-label={t.civic.validated}>
                        {source.last_validated === null ? t.civic.never : <Ago time={source.last_validated} />}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          </>
        );
      }}
    </LoadedView>
  );
}
