import { useEffect, useRef } from 'preact/hooks';
import { api } from '../data/api.ts';
import { EXPOSURE_LINK, seenByClients } from '../data/exposure.ts';
import { count, ms, percent, tokens } from '../data/format.ts';
import {
  boundTo,
  changes,
  failing,
  isOwner,
  mayChange,
  needsSignIn,
  pending,
  servers,
  session,
  waitingChanges,
} from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { needsAdmin } from '../data/needs-admin.ts';
import { go, href, route, setQuery, withQuery } from '../data/router.ts';
import type { Costs, Figures, Summary } from '../data/types.ts';
import { Badge, Empty, LoadedView, PageTitle, Scroll, ServerState, Skeleton } from '../parts/basics.tsx';
import { Chart, Sparkline } from '../parts/charts.tsx';
import { isRefusedToKeys } from '../parts/refused.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { ConnectClient } from './connect-client.tsx';
import { LastError } from './last-error.tsx';
import { ProfileServers } from './profile-servers.tsx';

const RANGES = { '15m': 60, '1h': 60, '6h': 72, '24h': 96, '7d': 84, '30d': 90 } as const;
type Range = keyof typeof RANGES;
const REFRESH_MS = 10_000;

/** A summary reads the log on the gateway's machine, so the page waits fifty times its duration before the next request. */
const REST_FACTOR = 50;

function useFresh(range: string, refresh: () => Promise<void>): void {
  const latest = useRef(refresh);
  latest.current = refresh;
  useEffect(() => {
    let timer = 0;
    const look = async () => {
      const begun = performance.now();
      if (!document.hidden) await latest.current();
      timer = window.setTimeout(look, Math.max(REFRESH_MS, REST_FACTOR * (performance.now() - begun)));
    };
    timer = window.setTimeout(look, REFRESH_MS);
    return () => clearTimeout(timer);
  }, [range]);
}

function rangeOf(): Range {
  const asked = route.value.query.get('range') ?? '1h';
  return asked in RANGES ? (asked as Range) : '1h';
}

const MS_OF: Readonly<Record<Range, number>> = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
};

export function OverviewPage() {
  const range = rangeOf();
  const loaded = useLoaded(
    () => api<Summary>('/v1/audit/summary', { query: { since: range, buckets: RANGES[range] } }),
    [range],
  );
  useFresh(range, loaded.refresh);
  const before = useLoaded(() => {
    const [until, length] = [Date.now() - 86_400_000, MS_OF[range]];
    const since = new Date(until - length).toISOString();
    return api<Summary>('/v1/audit/summary', {
      query: { since, until: new Date(until).toISOString(), buckets: 1 },
    });
  }, [range]);
  const costs = useLoaded(() => api<Costs>('/v1/tools/cost', { query: { limit: 1 } }), [servers.value?.length]);
  return (
    <>
      <PageTitle title={t.pages.overview}>
        <div class="segmented" role="group" aria-label={t.overview.range}>
          {(Object.keys(RANGES) as Range[]).map((one) => (
            <button key={one} type="button" aria-pressed={one === range} onClick={() => setQuery({ range: one })}>
              {t.ranges[one]}
            </button>
          ))}
        </div>
      </PageTitle>
      <NeedsYou summary={loaded.value} />
      <LoadedView of={loaded} retry={loaded.refresh} rows={8}>
        {(summary) => (
          <>
            <Tiles summary={summary} before={before.value?.total} costs={costs.value} />
            {summary.total.calls === 0 ? <Empty text={t.overview.noCallsText} /> : <Charts summary={summary} />}
            <div class="columns">
              {boundTo.value === undefined ? (
                <ServerLines summary={summary} />
              ) : (
                <ProfileServers summary={summary} costs={costs.value} />
              )}
              <ConnectClient isNeeded={summary.total.calls === 0 || session.value?.sample === true} />
            </div>
          </>
        )}
      </LoadedView>
    </>
  );
}

interface Need {
  readonly text: string;
  readonly link: string;
  readonly action: string;
  readonly tone: 'asks' | 'failed' | 'warning';
}

function needs(): Need[] {
  const waiting = pending.value?.length ?? 0;
  const changed = new Set(waitingChanges.value.map(({ server }) => server));
  const isNew = servers.value?.length === 0 && isOwner.value;
  return [
    ...(isNew
      ? [
          {
            text: t.overview.noServersNeed,
            link: href('servers', 'add', 'new'),
            action: t.servers.add,
            tone: 'asks' as const,
          },
        ]
      : []),
    ...(waiting > 0
      ? [
          {
            text: mayChange.value ? t.overview.approvals(waiting) : `${t.frame.waiting(waiting)}.`,
            link: href('approvals'),
            action: mayChange.value ? t.overview.decide : t.overview.look,
            tone: 'asks' as const,
          },
        ]
      : []),
    ...needsSignIn.value.map(({ id }) => ({
      text: t.overview.signIn(id),
      link: href('servers', id, 'sign-in'),
      action: t.servers.signIn,
      tone: 'asks' as const,
    })),
    ...[...changed].map((id) => ({
      text: t.overview.changed(id),
      link: href('servers', id, 'changes'),
      action: t.overview.review,
      tone: 'warning' as const,
    })),
    ...failing.value.map(({ id }) => ({
      text: t.overview.failing(id),
      link: href('servers', id),
      action: t.overview.look,
      tone: 'failed' as const,
    })),
  ];
}

/** Calls of a server need attention if half of them failed, and at least this many. */
const [FAILING_SHARE, FAILING_CALLS] = [0.5, 5];

function callsThatFail(summary: Summary | undefined): Need[] {
  const failingIds = new Set(failing.value.map(({ id }) => id));
  return (summary?.servers ?? [])
    .filter(
      ({ server, calls, failed }) =>
        failed >= FAILING_CALLS && failed / calls >= FAILING_SHARE && !failingIds.has(server),
    )
    .map(({ server, calls, failed }) => ({
      text: t.overview.callsFail(server, percent(failed, calls)),
      link: withQuery(href('audit'), { server, since: summary?.since }),
      action: t.overview.seeCalls,
      tone: 'failed' as const,
    }));
}

/** Items that wait for a maintainer of the corpus, if one is served and the person may decide. */
function useReviews(): Need[] {
  const mayDecide = isOwner.value && session.value?.rooms.includes('civic') === true;
  const waiting = useLoaded(
    () => (mayDecide ? api<{ total: number }>('/api/review') : Promise.resolve({ total: 0 })),
    [mayDecide],
  ).value?.total;
  if (!waiting) return [];
  return [
    { text: t.overview.reviews(waiting), link: href('civic', 'review'), action: t.overview.decide, tone: 'asks' },
  ];
}

function NeedsYou({ summary }: { readonly summary: Summary | undefined }) {
  const list = [...needs(), ...useReviews(), ...callsThatFail(summary)];
  const isKnown = [pending, servers, changes].every((source) => source.value !== undefined);
  return (
    <section class="needs" aria-label={t.overview.needs}>
      {!isKnown ? (
        <Skeleton rows={1} />
      ) : list.length === 0 ? (
        <p>
          <Badge tone="ok">{t.overview.nothing}</Badge>
          {!mayChange.value && <span class="faint"> {needsAdmin(t.overview.toChange)}</span>}
        </p>
      ) : (
        <ul>
          {list.map(({ text, link, action, tone }) => (
            <li key={link}>
              <Badge tone={tone}>
                <Line text={text} />
              </Badge>
              <a class="button" href={link}>
                {action}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function change(now: number, before: number | undefined): string {
  if (before === undefined || before === 0) return '';
  const share = Math.round((100 * (now - before)) / before);
  return t.overview.change(`${share > 0 ? '+' : ''}${share}%`);
}

/** How many calls there were in a second or a minute, on average; nothing where that says less than their number. */
function rate(calls: number, rangeMs: number): string {
  const [second, minute] = [(1_000 * calls) / rangeMs, (60_000 * calls) / rangeMs];
  if (second >= 1) return t.overview.perSecond(count(Math.round(second)));
  return minute >= 1 ? t.overview.perMinute(count(Math.round(minute))) : '';
}

interface TilesProps {
  readonly summary: Summary;
  readonly before: Figures | undefined;
  readonly costs: Costs | undefined;
}

function Tiles({ summary: { total, buckets, since }, before, costs }: TilesProps) {
  const link = (outcome?: string) => withQuery(href('audit'), { since, outcome });
  return (
    <ul class="tiles" aria-label={t.overview.figures}>
      <Tile
        label={t.overview.calls}
        figure={count(total.calls)}
        note={change(total.calls, before?.calls) || rate(total.calls, MS_OF[rangeOf()])}
        link={link()}
        values={buckets.map(({ calls }) => calls)}
      />
      <Tile
        label={t.overview.latency}
        figure={ms(total.p95_us)}
        note={total.calls === 0 ? t.overview.noCalls : t.overview.median(ms(total.p50_us))}
        link={link()}
        values={buckets.map(({ p95_us }) => p95_us)}
      />
      <Tile
        label={t.overview.errors}
        figure={total.calls === 0 ? '–' : percent(total.failed, total.calls)}
        note={total.calls === 0 ? t.overview.noCalls : t.overview.ofCalls(total.failed)}
        link={link('failed')}
        values={buckets.map(({ failed }) => failed)}
        tone={total.failed > 0 ? 'failed' : 'faint'}
      />
      <Tile
        label={t.overview.denied}
        figure={count(total.denied)}
        note={t.overview.deniedNote}
        title={t.overview.deniedIs}
        link={link('refused')}
        values={buckets.map(({ denied }) => denied)}
      />
      {total.undecided > 0 && (
        <Tile
          label={t.overview.undecided}
          figure={count(total.undecided)}
          note={t.overview.undecidedNote}
          title={t.overview.undecidedIs}
          link={link('undecided')}
          values={buckets.map(({ undecided }) => undecided)}
        />
      )}
      <Tile label={t.overview.tokens} {...tokensTile(costs)} link={href('tools')} />
    </ul>
  );
}

/** Keeps its place while the costs load. */
function tokensTile(costs: Costs | undefined): Pick<TileProps, 'figure' | 'note' | 'share' | 'setting'> {
  if (!costs) return { figure: '–', note: '' };
  const { all } = costs.exposures;
  if (all.tools === 0) return { figure: '–', note: t.overview.noTools };
  const seen = seenByClients(costs);
  const isSearch = all.tokens > seen.tokens;
  return {
    figure: tokens(seen.tokens),
    note: isSearch ? t.overview.saved(tokens(all.tokens)) : t.overview.listed(seen.tools),
    ...(isSearch ? { share: seen.tokens / all.tokens } : {}),
    setting: { text: t.overview.exposure(costs.exposure), link: EXPOSURE_LINK },
  };
}

interface TileProps {
  readonly label: string;
  readonly figure: string;
  readonly note: string;
  readonly link: string;
  readonly values?: readonly (number | null)[];
  readonly tone?: string;
  /** What the figure counts. */
  readonly title?: string;
  /** How much of a whole it is. */
  readonly share?: number;
  /** The setting that decides it. */
  readonly setting?: { readonly text: string; readonly link: string };
}

function Tile({ label, figure, note, link, values, tone, title, share, setting }: TileProps) {
  return (
    <li>
      <a href={link} title={title}>
        <span class="faint">{label}</span>
        <span class="figure">{figure}</span>
        {values && <Sparkline values={values} tone={tone ?? 'faint'} />}
        {share !== undefined && (
          <span class="share">
            <span style={{ width: `${100 * share}%` }} />
          </span>
        )}
        <span class="faint note">{note}</span>
      </a>
      {setting && (
        <a class="setting mono" {...(isRefusedToKeys() ? {} : { href: setting.link })}>
          {setting.text}
        </a>
      )}
    </li>
  );
}

function Charts({ summary: { buckets, bucket_ms } }: { readonly summary: Summary }) {
  const times = buckets.map(({ time }) => Date.parse(time) / 1_000);
  const open = (time: number) =>
    go(
      withQuery(href('audit'), {
        since: new Date(time * 1_000).toISOString(),
        until: new Date(time * 1_000 + bucket_ms).toISOString(),
      }),
    );
  return (
    <div class="charts">
      <Chart
        title={t.charts.outcomes(bucketName(bucket_ms))}
        unit="calls"
        kind="bars"
        times={times}
        onPick={open}
        series={[
          { label: t.charts.failed, color: '--failed', values: buckets.map(({ failed }) => failed) },
          { label: t.charts.denied, color: '--warning', values: buckets.map(({ denied }) => denied) },
          ...(buckets.some(({ undecided }) => undecided > 0)
            ? [{ label: t.charts.undecided, color: '--asks', values: buckets.map(({ undecided }) => undecided) }]
            : []),
          {
            label: t.charts.ok,
            color: '--ok',
            values: buckets.map(({ calls, failed, denied, undecided }) => calls - failed - denied - undecided),
          },
        ]}
      />
      <Chart
        title={t.charts.latency}
        unit="ms"
        times={times}
        onPick={open}
        series={[
          { label: t.charts.p50, color: '--asks', values: buckets.map(({ p50_us }) => p50_us && p50_us / 1_000) },
          { label: t.charts.p95, color: '--accent', values: buckets.map(({ p95_us }) => p95_us && p95_us / 1_000) },
        ]}
      />
    </div>
  );
}

function bucketName(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  if (minutes < 1) return t.charts.seconds(Math.round(milliseconds / 1_000));
  return minutes < 60 ? t.charts.minutes(Math.round(minutes)) : t.charts.hours(Math.round(minutes / 60));
}

function ServerLines({ summary }: { readonly summary: Summary }) {
  const figures = new Map(summary.servers.map((one) => [one.server, one]));
  return (
    <section class="grow">
      <h2>{t.pages.servers}</h2>
      <LoadedView of={servers.state.value} retry={() => void servers.refresh()}>
        {(all) =>
          all.length === 0 ? (
            <NoServers />
          ) : (
            <Scroll>
              <table class="fold" style={{ '--fold': '84px minmax(0, 1fr) 48px 64px 48px' }}>
                <thead>
                  <tr>
                    <th>{t.servers.state}</th>
                    <th>{t.servers.name}</th>
                    <th class="number">{t.overview.calls}</th>
                    <th class="number">{t.overview.p95}</th>
                    <th class="number">{t.overview.errors}</th>
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
                        <td class="number">
                          <a href={withQuery(href('audit'), { server: server.id, since: summary.since })}>
                            {count(own?.calls ?? 0)}
                          </a>
                        </td>
                        <td class="number">{ms(own?.p95_us)}</td>
                        <td class="number">{own ? percent(own.failed, own.calls) : '–'}</td>
                        <td class="faint cut below">
                          <LastError server={server} failed={own?.failed ?? 0} since={summary.since} />
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
    </section>
  );
}

/** Whoever may add one has the button at the top of the page. */
function NoServers() {
  return <Empty text={t.overview.noServers}>{!isOwner.value && <pre>{t.servers.noneCommand}</pre>}</Empty>;
}
