import { useEffect, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { count, ms, percent, tokens } from '../data/format.ts';
import { changes, mayChange, servers, tools, wantTools } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { go, href, withQuery } from '../data/router.ts';
import type { ServerDetail, ServerTest, Summary } from '../data/types.ts';
import {
  ActionButton,
  Ago,
  Badge,
  Empty,
  Failure,
  LoadedView,
  PageTitle,
  ServerState,
  Tabs,
  VerdictBadge,
} from '../parts/basics.tsx';
import { Chart } from '../parts/charts.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Json } from '../parts/json.tsx';
import { Line, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { ServerChanges } from './server-changes.tsx';

const TABS = ['overview', 'tools', 'changes', 'sign-in', 'log'] as const;

export function ServerPage({ id, tab }: { readonly id: string; readonly tab: string }) {
  const live = servers.value?.find((server) => server.id === id);
  const loaded = useLoaded(
    () => api<ServerDetail>(`/v1/servers/${encodeURIComponent(id)}`),
    [id, JSON.stringify(live)],
  );
  const waiting = (changes.value ?? []).filter((change) => change.server === id);
  const open = TABS.find((one) => one === tab) ?? 'overview';
  return (
    <>
      <nav class="crumbs" aria-label={t.common.path}>
        <a href={href('servers')}>{t.pages.servers}</a> / <span class="mono">{id}</span>
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
            {open === 'sign-in' && <ServerSignIn server={server} />}
            {open === 'log' && <ServerLog server={server} refresh={loaded.refresh} />}
          </>
        )}
      </LoadedView>
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
      {server.reason !== null && (
        <p>
          <Shown text={server.reason} fold={600} />
        </p>
      )}
      {server.last_error !== null && server.state !== 'ready' && (
        <p class="failed-text">
          <Shown text={server.last_error} fold={600} />
        </p>
      )}
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
            <a href={withQuery(href('audit'), { server: id, since })}>{t.servers.dayCalls(count(total.calls))}</a> ·{' '}
            {t.servers.dayErrors(percent(total.failed, total.calls))} · {t.servers.dayP95(ms(total.p95_us))}
          </p>
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
        <TestButton id={server.id} />
        <ActionButton
          label={t.servers.reconnect}
          busyLabel={t.servers.reconnecting}
          run={() => change('POST', `${path}/reconnect`)}
        />
        <ActionButton
          label={server.enabled ? t.servers.disable : t.servers.enable}
          run={() => change('PATCH', path, { enabled: !server.enabled })}
        />
        {isUntrusted && (
          <ActionButton kind="primary" label={t.servers.trust} run={() => change('POST', `${path}/trust`)} />
        )}
        {server.source !== 'project' && (
          <button type="button" class="danger" onClick={() => setRemoving(true)}>
            {t.servers.remove}
          </button>
        )}
      </div>
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

/** A connection beside the one in use; its steps, and where it stopped. */
export function TestButton({ id, isAuto = false }: { readonly id: string; readonly isAuto?: boolean }) {
  const [result, setResult] = useState<ServerTest>();
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async () => {
    setRunning(true);
    setError(undefined);
    setResult(undefined);
    try {
      setResult(await api<ServerTest>(`/v1/servers/${encodeURIComponent(id)}/test`, { method: 'POST', body: {} }));
    } catch (thrown) {
      setError(thrown);
    }
    setRunning(false);
  };
  useEffect(() => {
    if (isAuto) void run();
  }, [id]);
  return (
    <>
      <button type="button" disabled={isRunning} onClick={() => void run()}>
        {isRunning ? t.servers.testing : t.servers.test}
      </button>
      {error !== undefined && <Failure error={error} />}
      {(isRunning || result) && <TestSteps result={result} />}
    </>
  );
}

function TestSteps({ result }: { readonly result: ServerTest | undefined }) {
  const isConnected = result !== undefined && (result.ok || result.protocol_version !== null);
  const steps: readonly (readonly [string, boolean | undefined, string])[] = [
    [t.servers.steps.connect, result && isConnected, ''],
    [t.servers.steps.initialize, result && isConnected, result?.protocol_version ?? ''],
    [t.servers.steps.list, result?.ok, result?.tools === null || !result ? '' : t.servers.toolCount(result.tools)],
  ];
  return (
    <ol class="steps" aria-live="polite">
      {steps.map(([name, isDone, note]) => (
        <li key={name}>
          <Badge
            tone={isDone === undefined ? 'off' : isDone ? 'ok' : 'failed'}
            icon={isDone === undefined ? 'connecting' : isDone ? 'ok' : 'failed'}
          >
            {name}
          </Badge>{' '}
          <span class="faint">{note}</span>
        </li>
      ))}
      {result && (
        <li>
          {t.servers.took(`${result.ms} ms`)}
          {result.error !== null && (
            <span class="failed-text">
              {' '}
              <Shown text={result.error} fold={600} />
            </span>
          )}
        </li>
      )}
    </ol>
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
          <div class="scroll">
            <table>
              <thead>
                <tr>
                  <th>{t.tools.decision}</th>
                  <th>{t.tools.tool}</th>
                  <th>{t.tools.description}</th>
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
                    <td class="cut">
                      <Line text={tool.description ?? ''} max={120} />
                    </td>
                    <td class="number">{tokens(tool.tokens)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        );
      }}
    </LoadedView>
  );
}

/** Each step of a sign-in: what is done, what comes next, and what failed. */
function ServerSignIn({ server }: OfServer) {
  const [url, setUrl] = useState<string>();
  const isNeeded = server.state === 'auth_required';
  const begin = async () => {
    const { authorization_url } = await api<{ authorization_url: string }>(
      `/v1/servers/${encodeURIComponent(server.id)}/login`,
      { method: 'POST', body: {} },
    );
    setUrl(authorization_url);
  };
  const isWeb = url !== undefined && /^https?:\/\//.test(url);
  const steps: readonly (readonly [string, 'ok' | 'off' | 'asks', string])[] = [
    [t.servers.oauth.asked, isNeeded || url !== undefined ? 'ok' : 'off', isNeeded ? (server.reason ?? '') : ''],
    [t.servers.oauth.discovered, url === undefined ? 'off' : 'ok', isWeb ? new URL(url).origin : ''],
    [t.servers.oauth.consent, url === undefined ? 'off' : isNeeded ? 'asks' : 'ok', ''],
    [t.servers.oauth.token, url !== undefined && !isNeeded ? 'ok' : 'off', ''],
  ];
  if (!isNeeded && url === undefined) return <Empty text={t.servers.noSignIn} />;
  return (
    <>
      <p>{isNeeded ? t.servers.signInNeeded : t.servers.signedIn}</p>
      <ol class="steps" aria-live="polite">
        {steps.map(([name, tone, note]) => (
          <li key={name}>
            <Badge tone={tone}>{name}</Badge>{' '}
            <span class="faint">
              <Line text={note} max={200} />
            </span>
          </li>
        ))}
      </ol>
      {mayChange.value && isNeeded && (
        <div class="actions">
          <ActionButton kind="primary" label={t.servers.signIn} busyLabel={t.servers.discovering} run={begin} />
        </div>
      )}
      {url !== undefined && isNeeded && isWeb && (
        <p>
          {t.servers.openToConsent}{' '}
          <a class="wrap mono" href={url} target="_blank" rel="noopener noreferrer">
            {url}
          </a>
        </p>
      )}
    </>
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
      <label>
        {t.servers.filterLog}
        <input value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
      </label>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre class="log" tabIndex={0} role="region" aria-label={t.servers.tabs.log}>
        <Shown text={lines.join('\n')} fold={20_000} />
      </pre>
    </>
  );
}
