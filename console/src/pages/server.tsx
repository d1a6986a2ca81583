import { useEffect, useRef, useState } from 'preact/hooks';
import { api, Problem } from '../data/api.ts';
import { count, ms, percent, tokens, withoutSignInCommand } from '../data/format.ts';
import { changes, isOwner, mayChange, servers, tools, wantTools } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { go, href, withQuery } from '../data/router.ts';
import type { ServerDetail, Summary } from '../data/types.ts';
import {
  ActionButton,
  Ago,
  Empty,
  LoadedView,
  PageTitle,
  Scroll,
  ServerState,
  Tabs,
  VerdictBadge,
} from '../parts/basics.tsx';
import { Chart } from '../parts/charts.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Json } from '../parts/json.tsx';
import { isRefusedToKeys, NotForKeys } from '../parts/refused.tsx';
import { Line, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { EffectiveSettings } from './effective-settings.tsx';
import { ServerChanges } from './server-changes.tsx';
import { ServerHealth } from './server-health.tsx';
import { ServerSignIn } from './server-sign-in.tsx';
import { TestButton } from './server-test.tsx';

const TABS = ['overview', 'tools', 'changes', 'sign-in', 'log', 'config'] as const;

export function ServerPage({ id, tab }: { readonly id: string; readonly tab: string }) {
  const live = servers.value?.find((server) => server.id === id);
  const loaded = useLoaded(() => api<ServerDetail>(`/v1/servers/${encodeURIComponent(id)}`), [id]);
  const state = JSON.stringify(live);
  // The state may change while the first answer is on its way.
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) void loaded.refresh();
    isFirst.current = false;
  }, [state]);
  const waiting = (changes.value ?? []).filter((change) => change.server === id);
  const open = TABS.find((one) => one === tab) ?? 'overview';
  if (loaded.error instanceof Problem && loaded.error.code === 'SERVER_NOT_FOUND') return <NoServer id={id} />;
  return (
    <>
      <nav class="crumbs" aria-label={t.common.path}>
        <a href={href('servers')}>{t.pages.servers}</a> /{' '}
        <span class="mono">
          <Line text={id} max={120} />
        </span>
      </nav>
      <PageTitle title={id}>{live && <ServerState server={live} />}</PageTitle>
      <Tabs
        tabs={TABS.map((one) => ({
          label: t.servers.tabs[one],
          link: href('servers', id, one),
          isOpen: one === open,
          ...(one === 'changes' ? { count: waiting.length } : {}),
        }))}
      />
      <LoadedView of={loaded} retry={loaded.refresh}>
        {(server) => (
          <>
            {open === 'overview' && <ServerOverview server={server} onChange={loaded.refresh} />}
            {open === 'tools' && <ServerTools id={id} />}
            {open === 'changes' && <ServerChanges id={id} waiting={waiting} />}
            {open === 'sign-in' && <ServerSignIn server={server} refresh={loaded.refresh} />}
            {open === 'log' && <ServerLog server={server} refresh={loaded.refresh} />}
            {open === 'config' &&
              (isRefusedToKeys() ? (
                <NotForKeys what={t.settings.toSeeSettings} />
              ) : server.source === 'global' || server.source === 'project' ? (
                <EffectiveSettings section={`mcp.servers.${id}`} />
              ) : (
                <Empty text={t.servers.noConfig[server.source]} />
              ))}
          </>
        )}
      </LoadedView>
    </>
  );
}

function NoServer({ id }: { readonly id: string }) {
  return (
    <>
      <PageTitle title={t.servers.goneTitle} />
      <Empty text={t.servers.gone(id)}>
        <a class="button" href={href('servers')}>
          {t.servers.toList}
        </a>
      </Empty>
    </>
  );
}

interface OfServer {
  readonly server: ServerDetail;
}

function ServerOverview({ server, onChange }: OfServer & { readonly onChange: () => void }) {
  const { breaker } = server;
  return (
    <>
      <Trouble server={server} />
      {mayChange.value && <ServerActions server={server} onChange={onChange} />}
      <dl class="facts">
        <dt>{t.servers.kind}</dt>
        <dd>
          {server.transport ?? '–'} · {t.servers.sources[server.source]}
        </dd>
        <dt>{t.servers.protocol}</dt>
        <dd>{server.protocol_version ?? '–'}</dd>
        <dt>{t.servers.tools}</dt>
        <dd>
          <a href={href('servers', server.id, 'tools')}>{count(server.tools)}</a>
          {server.held > 0 && ` · ${t.servers.heldBack(server.held)}`}
        </dd>
        <dt>{t.servers.breaker}</dt>
        <dd>
          {t.servers.breakers[breaker.state]}
          {breaker.failures > 0 && ` · ${t.servers.failures(breaker.failures)}`}
        </dd>
        <dt>{t.servers.connectedAt}</dt>
        <dd>{server.last_connected_at === null ? '–' : <Ago time={server.last_connected_at} />}</dd>
        <dt>{t.servers.checkedAt}</dt>
        <dd>{server.last_health_check === null ? '–' : <Ago time={server.last_health_check} />}</dd>
      </dl>
      <ServerHealth history={server.history ?? []} />
      <ServerDay id={server.id} />
      {server.server_info !== null && (
        <>
          <h2>{t.servers.saysOfItself}</h2>
          <Json value={server.server_info} />
        </>
      )}
    </>
  );
}

/** The reason for its state. For a failing server: its last error, and what Bindery does about it. */
function Trouble({ server: { id, state, reason, last_error } }: OfServer) {
  const text = reason ?? (state === 'ready' ? null : last_error);
  if (text === null) return null;
  return (
    <p class={state === 'error' ? 'failed-text' : ''}>
      <Shown text={state === 'auth_required' ? withoutSignInCommand(text) : text} fold={600} />{' '}
      {state === 'auth_required' && <a href={href('servers', id, 'sign-in')}>{t.servers.signIn}</a>}
    </p>
  );
}

function ServerDay({ id }: { readonly id: string }) {
  const loaded = useLoaded(
    () => api<Summary>('/v1/audit/summary', { query: { since: '24h', buckets: 96, server: id } }),
    [id],
  );
  return (
    <LoadedView of={loaded} retry={loaded.refresh} rows={4}>
      {({ total, buckets, since, bucket_ms }) => (
        <>
          <h2>{t.servers.day}</h2>
          <p class="faint">
            <a href={withQuery(href('audit'), { server: id, since })}>{t.servers.dayCalls(total.calls)}</a> ·{' '}
            {t.servers.dayErrors(percent(total.failed, total.calls))} · {t.servers.dayP95(ms(total.p95_us))}
          </p>
          {total.calls > 0 && (
            <Chart
              title={t.charts.latency}
              unit="ms"
              height={140}
              times={buckets.map(({ time }) => Date.parse(time) / 1_000)}
              series={[
                { label: t.charts.p50, color: '--asks', values: buckets.map(({ p50_us }) => p50_us && p50_us / 1_000) },
                {
                  label: t.charts.p95,
                  color: '--accent',
                  values: buckets.map(({ p95_us }) => p95_us && p95_us / 1_000),
                },
              ]}
            />
          )}
          {total.calls > 0 && (
            <Chart
              title={t.charts.outcomes(t.charts.minutes(Math.round(bucket_ms / 60_000)))}
              unit="calls"
              kind="bars"
              height={140}
              times={buckets.map(({ time }) => Date.parse(time) / 1_000)}
              series={[
                { label: t.charts.failed, color: '--failed', values: buckets.map(({ failed }) => failed) },
                { label: t.charts.denied, color: '--warning', values: buckets.map(({ denied }) => denied) },
                { label: t.charts.ok, color: '--ok', values: buckets.map(({ ok }) => ok) },
              ]}
            />
          )}
        </>
      )}
    </LoadedView>
  );
}

function ServerActions({ server, onChange }: OfServer & { readonly onChange: () => void }) {
  const [isRemoving, setRemoving] = useState(false);
  const [isDisabling, setDisabling] = useState(false);
  const path = `/v1/servers/${encodeURIComponent(server.id)}`;
  const change = (method: 'POST' | 'PATCH', where: string, body: object = {}) =>
    api(where, { method, body }).then(onChange);
  if (server.source === 'builtin') return null;
  const isUntrusted = server.source === 'project' && server.state === 'disabled' && server.enabled;
  const remove = async () => {
    const where = server.source === 'registered' ? path : `/v1/config/servers/${encodeURIComponent(server.id)}`;
    await api(where, { method: 'DELETE' });
    await servers.refresh();
    go(href('servers'));
  };
  return (
    <>
      <div class="actions">
        {isOwner.value && <TestButton id={server.id} />}
        <ActionButton
          label={t.servers.reconnect}
          busyLabel={t.servers.reconnecting}
          run={() => change('POST', `${path}/reconnect`)}
        />
        {server.enabled ? (
          <button type="button" onClick={() => setDisabling(true)}>
            {t.servers.disable}
          </button>
        ) : (
          <ActionButton label={t.servers.enable} run={() => change('PATCH', path, { enabled: true })} />
        )}
        {isUntrusted && (
          <ActionButton kind="primary" label={t.servers.trust} run={() => change('POST', `${path}/trust`)} />
        )}
        {server.source !== 'project' && (server.source === 'registered' || isOwner.value) && (
          <button type="button" class="danger" onClick={() => setRemoving(true)}>
            {t.servers.remove}
          </button>
        )}
      </div>
      {isDisabling && (
        <ConfirmDialog
          title={t.servers.disableTitle(server.id)}
          text={t.servers.disableText}
          action={t.servers.disable}
          run={() => change('PATCH', path, { enabled: false })}
          onClose={() => setDisabling(false)}
        />
      )}
      {isRemoving && (
        <ConfirmDialog
          title={t.servers.removeTitle(server.id)}
          text={t.servers.removeText}
          name={server.id}
          action={t.servers.remove}
          run={remove}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  );
}

function ServerTools({ id }: { readonly id: string }) {
  useEffect(wantTools, []);
  return (
    <LoadedView of={tools.state.value} retry={() => void tools.refresh()}>
      {(all) => {
        const own = all.filter(({ server }) => server === id);
        if (own.length === 0) return <Empty text={t.tools.none} />;
        return (
          <Scroll>
            <table class="fold" style={{ '--fold': '84px minmax(0, 1fr) 52px' }}>
              <thead>
                <tr>
                  <th>{t.tools.decision}</th>
                  <th>{t.tools.tool}</th>
                  <th class="below">{t.tools.description}</th>
                  <th class="number">{t.tools.tokens}</th>
                </tr>
              </thead>
              <tbody>
                {own.map((tool) => (
                  <tr key={tool.name}>
                    <td>
                      <VerdictBadge verdict={tool.decision.decision} />
                    </td>
                    <td class="mono">
                      <a href={href('tools', tool.name)}>
                        <Line text={tool.original_name} max={80} />
                      </a>
                    </td>
                    <td class="cut below">
                      <Line text={tool.description ?? ''} max={120} isEscaped />
                    </td>
                    <td class="number">{tokens(tool.tokens)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        );
      }}
    </LoadedView>
  );
}

const LOG_REFRESH_MS = 2_000;

function ServerLog({ server, refresh }: OfServer & { readonly refresh: () => void }) {
  const [filter, setFilter] = useState('');
  useEffect(() => {
    const timer = setInterval(refresh, LOG_REFRESH_MS);
    return () => clearInterval(timer);
  }, [server.id]);
  const lines = (server.stderr ?? '').split('\n').filter((line) => line.toLowerCase().includes(filter.toLowerCase()));
  if (server.stderr === null || server.stderr === '') return <Empty text={t.servers.noLog} />;
  return (
    <>
      <div class="filters">
        <label class="grow">
          <span>{t.servers.filterLog}</span>
          <input value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre class="log" tabIndex={0} role="region" aria-label={t.servers.tabs.log}>
        <Shown text={lines.join('\n')} fold={20_000} />
      </pre>
    </>
  );
}
