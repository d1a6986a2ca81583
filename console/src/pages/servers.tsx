import { api } from '../data/api.ts';
import { count, ms, tokens } from '../data/format.ts';
import { isOwner, servers } from '../data/live.ts';
import { type Loaded, useLoaded } from '../data/loaded.ts';
import { href } from '../data/router.ts';
import type { Costs, Figures, Summary } from '../data/types.ts';
import { Empty, Failure, LoadedView, PageTitle, Scroll, ServerState, Unknown } from '../parts/basics.tsx';
import { SparkBars } from '../parts/charts.tsx';
import { t } from '../texts.ts';
import { AddServer } from './add-server.tsx';
import { LastError } from './last-error.tsx';
import { ServerPage } from './server.tsx';

export function ServersPage({ path }: { readonly path: readonly string[] }) {
  const [id, tab] = path;
  if (id === 'add' && tab === 'new') return <AddServer />;
  return id === undefined ? <ServerList /> : <ServerPage key={id} id={id} tab={tab ?? 'overview'} />;
}

/** Number of parts in the chart of a server. */
const HOURS = 24;

function ServerList() {
  const day = useLoaded(
    () => api<Summary>('/v1/audit/summary', { query: { since: '24h', buckets: HOURS, per_server: true } }),
    [],
  );
  const figures = new Map((day.value?.servers ?? []).map((one) => [one.server, one]));
  const costs = useLoaded(() => api<Costs>('/v1/tools/cost', { query: { limit: 1 } }), [servers.value?.length]);
  const cost = new Map(costs.value?.servers.map((one) => [one.server, one.tokens]));
  return (
    <>
      <PageTitle title={t.pages.servers}>
        {isOwner.value && servers.value?.length !== 0 && (
          <a class="button primary" href={href('servers', 'add', 'new')}>
            {t.servers.add}
          </a>
        )}
      </PageTitle>
      {(day.error ?? costs.error) !== undefined && <Failure error={day.error ?? costs.error} retry={day.refresh} />}
      <LoadedView of={servers.state.value} retry={() => void servers.refresh()}>
        {(all) =>
          all.length === 0 ? (
            <Empty text={t.servers.none}>
              <pre>{t.servers.noneCommand}</pre>
              {isOwner.value && (
                <a class="button primary" href={href('servers', 'add', 'new')}>
                  {t.servers.add}
                </a>
              )}
            </Empty>
          ) : (
            <Scroll>
              <table class="fold" style={{ '--fold': '84px minmax(0, 1fr) 36px 64px 62px' }}>
                <thead>
                  <tr>
                    <th>{t.servers.state}</th>
                    <th>{t.servers.name}</th>
                    <th class="wide-only">{t.servers.kind}</th>
                    <th class="number">{t.servers.tools}</th>
                    <th class="number wide-only">{t.servers.tokens}</th>
                    <th class="number">{t.servers.calls24}</th>
                    <th class="number">{t.overview.p95}</th>
                    <th class="spark-cell wide-only">{t.servers.latency24}</th>
                    <th class="wide-only">{t.servers.breaker}</th>
                    <th class="below">{t.servers.lastError}</th>
                  </tr>
                </thead>
                <tbody>
                  {all.map((server) => {
                    const own = figures.get(server.id);
                    return (
                      <tr key={server.id}>
                        <td>
                          <ServerState server={server} />
                        </td>
                        <td class="mono">
                          <a href={href('servers', server.id)}>{server.id}</a>
                        </td>
                        <td class="faint nowrap wide-only">
                          {server.source === 'builtin' ? t.servers.builtin : (server.transport ?? '–')}
                        </td>
                        <td class="number">{count(server.tools)}</td>
                        <td class="number wide-only">
                          {costs.value ? tokens(cost.get(server.id) ?? 0) : notKnown(costs)}
                        </td>
                        <td class="number">{day.value ? count(own?.calls ?? 0) : notKnown(day)}</td>
                        <td class="number" title={t.overview.p95Is}>
                          {day.value ? ms(own?.p95_us) : notKnown(day)}
                        </td>
                        <td class="spark-cell wide-only">{own && <DayLine figures={own} />}</td>
                        <td class={server.breaker.state === 'closed' ? 'faint wide-only' : 'wide-only'}>
                          {t.servers.breakers[server.breaker.state]}
                        </td>
                        <td class="faint cut below">
                          <LastError server={server} failed={own?.failed ?? 0} since="24h" />
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            </Scroll>
          )
        }
      </LoadedView>
    </>
  );
}

/** A placeholder while loading, or a dash after a failed load. */
function notKnown({ error }: Loaded<unknown>) {
  return error === undefined ? <Unknown /> : '–';
}

/** Latency hour by hour; hours in which calls failed are marked. */
function DayLine({ figures }: { readonly figures: Summary['servers'][number] }) {
  const hours: readonly Figures[] = figures.buckets ?? [];
  const failing = hours.filter(({ failed }) => failed > 0).length;
  return (
    <>
      <SparkBars values={hours.map(({ p95_us }) => p95_us)} isFailed={hours.map(({ failed }) => failed > 0)} />
      <span class="visually-hidden">{t.servers.failingHours(failing)}</span>
    </>
  );
}
