import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { api, listAll, send } from '../data/api.ts';
import { followCalls } from '../data/events.ts';
import { clock, day, ms } from '../data/format.ts';
import { boundTo, mayChange, servers, tail } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { hasOutcome, OUTCOME_GROUPS, subjectOf } from '../data/outcomes.ts';
import { href, route, setQuery, withQuery } from '../data/router.ts';
import type { Call, Key, Summary } from '../data/types.ts';
import { ActionButton, Empty, Failure, OutcomeBadge, PageTitle, Tabs } from '../parts/basics.tsx';
import { Caller } from '../parts/caller.tsx';
import { Chart } from '../parts/charts.tsx';
import { BeyondProfile } from '../parts/refused.tsx';
import { Line, plain } from '../parts/shown.tsx';
import { Cell, HeadCell, VirtualRows } from '../parts/virtual-rows.tsx';
import { t } from '../texts.ts';
import { CallDrawer } from './call.tsx';
import { VerifyPage } from './verify.tsx';

const FILTERS = ['kind', 'server', 'tool', 'tool_part', 'outcome', 'caller', 'who', 'since', 'until', 'q'] as const;
type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;

const OUTCOMES = [
  ...OUTCOME_GROUPS,
  'ok',
  'tool_error',
  'denied',
  'rate_limited',
  'breaker_open',
  'timed_out',
  'cancelled',
  'upstream_error',
  'interrupted',
];
const KINDS = ['call', 'read', 'prompt', 'search', 'admin', 'system'];
const SINCE = ['15m', '1h', '6h', '24h', '7d', '30d'];
const PAGE = 500;
const ROW_HEIGHT = 28;

function filtersOf(query: URLSearchParams): Filters {
  return Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ''])) as Filters;
}

export function AuditPage({ path }: { readonly path: readonly string[] }) {
  const isVerify = path[0] === 'verify';
  return (
    <>
      <PageTitle title={t.pages.audit}>
        {!isVerify && <ExportButtons filters={filtersOf(route.value.query)} />}
      </PageTitle>
      <Tabs
        tabs={[
          { label: t.audit.calls, link: href('audit'), isOpen: !isVerify },
          // The chain has records of every profile.
          ...(boundTo.value === undefined
            ? [{ label: t.audit.verify, link: href('audit', 'verify'), isOpen: isVerify }]
            : []),
        ]}
      />
      {isVerify ? (
        boundTo.value === undefined ? (
          <VerifyPage />
        ) : (
          <BeyondProfile />
        )
      ) : (
        <CallList openCall={path[0] === 'call' ? path[1] : undefined} />
      )}
    </>
  );
}

function CallList({ openCall }: { readonly openCall: string | undefined }) {
  const shown = filtersOf(route.value.query);
  const filters = useNamedCallers(shown);
  const key = JSON.stringify(filters);
  const { calls, error, isBegun, isDone, more, waiting, showNew, retry } = useCalls(filters, key);
  const isFiltered = FILTERS.some((name) => filters[name] !== '');
  return (
    <div class="audit">
      <FilterBar filters={shown} isFiltered={isFiltered} />
      {error === undefined ? <Histogram filters={filters} /> : <Failure error={error} retry={retry} />}
      {(error === undefined || calls.length > 0) && (
        <div class="list-head">
          <button type="button" class="new-rows" disabled={waiting === 0} onClick={showNew}>
            {waiting > 0 ? t.audit.newCalls(waiting) : t.audit.upToDate}
          </button>
          <span class="faint">
            {isBegun ? t.audit.loaded(calls.length, filters.kind === 'call', isDone) : t.common.loading}
          </span>
        </div>
      )}
      {calls.length === 0 && isDone ? (
        <NoCalls isFiltered={isFiltered} />
      ) : (
        <VirtualRows
          label={t.audit.calls}
          className="audit-rows"
          items={calls}
          rowHeight={ROW_HEIGHT}
          keyOf={(call) => call.call_id}
          onEnd={more}
          header={
            <>
              <HeadCell>{t.audit.when}</HeadCell>
              <HeadCell>{t.audit.outcome}</HeadCell>
              <HeadCell>{t.audit.what}</HeadCell>
              <HeadCell>{t.audit.caller}</HeadCell>
              <HeadCell className="number">{t.audit.took}</HeadCell>
            </>
          }
          row={callRow}
        />
      )}
      {openCall !== undefined && <CallDrawer key={openCall} id={openCall} />}
    </div>
  );
}

function NoCalls({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <Empty text={t.audit.none}>
      <a class="button" href={href('audit')}>
        {t.audit.clear}
      </a>
    </Empty>
  ) : (
    <Empty text={t.audit.empty}>
      <a class="button" href={href('tools')}>
        {t.audit.toTools}
      </a>
    </Empty>
  );
}

function callRow(call: Call) {
  return <CallRow call={call} />;
}

function CallRow({ call }: { readonly call: Call }) {
  return (
    <>
      <Cell className="faint">
        <time dateTime={call.time} title={call.time}>
          <span class="wide-only">{day(call.time)} </span>
          {clock(call.time)}
        </time>
      </Cell>
      <Cell>
        <OutcomeBadge call={call} />
      </Cell>
      <Cell className="mono">
        <a href={withQuery(href('audit', 'call', call.call_id), Object.fromEntries(route.peek().query))}>
          <Line text={subjectOf(call)} max={100} />
        </a>
      </Cell>
      <Cell>
        <Caller caller={call.caller} user={call.user} client={call.client} />
      </Cell>
      <Cell className="number">{ms(call.total_us)}</Cell>
    </>
  );
}

function matches(call: Call, filters: Filters): boolean {
  const equal = (['kind', 'server', 'tool', 'caller'] as const).every(
    (name) => filters[name] === '' || call[name] === filters[name],
  );
  const isAsked = filters.outcome === '' || hasOutcome(call, filters.outcome);
  const has = (text: string | undefined, part: string) => text?.toLowerCase().includes(part.toLowerCase()) === true;
  const isWho =
    filters.who === '' ||
    filters.who
      .split(',')
      .map((part) => part.trim())
      .some((part) => part !== '' && [call.caller, call.user, call.client?.name].some((name) => has(name, part)));
  const isTool = filters.tool_part === '' || has(call.tool, filters.tool_part);
  return (
    equal &&
    isAsked &&
    isWho &&
    isTool &&
    filters.until === '' &&
    (filters.q === '' || JSON.stringify(call).includes(filters.q))
  );
}

/** Records do not contain the names of keys, so a filter by such a name also searches for the ids of these keys. */
function useNamedCallers(filters: Filters): Filters {
  const isAsked = filters.who !== '' && mayChange.value;
  const keys = useLoaded(() => (isAsked ? listAll<Key>('/v1/keys') : Promise.resolve([])), [isAsked]).value ?? [];
  const wanted = filters.who.toLowerCase();
  const ids = keys
    .filter(({ name }) => wanted !== '' && name.toLowerCase().includes(wanted))
    .map(({ id }) => `key:${id}`);
  return { ...filters, who: [filters.who, ...ids].join(',') };
}

/** The list, loaded page by page while scrolling; newer calls are added when the person asks for them. */
function useCalls(filters: Filters, key: string) {
  const [calls, setCalls] = useState<readonly Call[]>([]);
  const [cursor, setCursor] = useState<string | null>('0');
  const [error, setError] = useState<unknown>();
  const [generation, setGeneration] = useState(0);
  const loading = useRef<string | undefined>(undefined);
  const begun = useRef('');
  const load = useCallback(
    async (from: string, isFirst: boolean) => {
      const job = `${key} ${generation} ${from}`;
      if (loading.current === job) return;
      loading.current = job;
      try {
        const page = await api<{ items: Call[]; next_cursor: string | null }>('/v1/audit', {
          query: { ...filters, limit: PAGE, cursor: from },
        });
        if (loading.current !== job) return;
        setCalls((known) => (isFirst ? page.items : withoutDoubles([...known, ...page.items])));
        setCursor(page.next_cursor);
        setError(undefined);
      } catch (thrown) {
        if (loading.current === job) {
          loading.current = undefined;
          setError(thrown);
        }
      }
    },
    [key, generation],
  );
  useEffect(followCalls, []);
  useEffect(() => {
    begun.current = new Date().toISOString();
    setCursor('0');
    void load('0', true);
  }, [load]);
  const more = useCallback(() => {
    if (cursor !== null && cursor !== '0' && error === undefined) void load(cursor, false);
  }, [cursor, load, error]);
  const known = useMemo(() => new Set(calls.map(({ call_id }) => call_id)), [calls]);
  const waiting = tail.value.filter(
    (call) => !known.has(call.call_id) && call.time >= begun.current && matches(call, filters),
  ).length;
  const again = () => setGeneration((one) => one + 1);
  const isBegun = calls.length > 0 || cursor !== '0' || error !== undefined;
  return { calls, error, isBegun, isDone: cursor === null, more, waiting, showNew: again, retry: again };
}

/** Pages count from the newest call, so as calls end, the last ones of a page appear again on the next. */
function withoutDoubles(calls: readonly Call[]): Call[] {
  return [...new Map(calls.map((call) => [call.call_id, call])).values()];
}

/** Filters that read like a sentence: calls of a server, by a caller, with an outcome, since a time. */
function FilterBar({ filters, isFiltered }: { readonly filters: Filters; readonly isFiltered: boolean }) {
  const set = (name: keyof Filters) => (value: string) => setQuery({ [name]: value });
  return (
    <form class="filters" aria-label={t.audit.filter} onSubmit={(event) => event.preventDefault()}>
      <Choice
        label={t.audit.kind}
        value={filters.kind}
        all={t.audit.everything}
        values={KINDS}
        onChange={set('kind')}
      />
      <Choice
        label={t.audit.ofServer}
        value={filters.server}
        all={t.audit.anyServer}
        values={(servers.value ?? []).map(({ id }) => id)}
        onChange={set('server')}
      />
      <TextFilter label={t.audit.tool} hint={t.audit.toolHint} value={filters.tool_part} onChange={set('tool_part')} />
      <Choice
        label={t.audit.outcome}
        value={filters.outcome}
        all={t.audit.anyOutcome}
        values={OUTCOMES}
        onChange={set('outcome')}
      />
      <TextFilter label={t.audit.caller} hint={t.audit.callerHint} value={filters.who} onChange={set('who')} />
      <Choice label={t.audit.since} value={filters.since} all={t.audit.ever} values={SINCE} onChange={set('since')} />
      <TextFilter label={t.audit.text} value={filters.q} onChange={set('q')} />
      {isFiltered && <FilterChips filters={filters} />}
    </form>
  );
}

const CHIP_LABELS: Readonly<Record<keyof Filters, string>> = {
  kind: t.audit.kind,
  server: t.audit.ofServer,
  tool: t.audit.tool,
  tool_part: t.audit.tool,
  outcome: t.audit.outcome,
  caller: t.audit.caller,
  who: t.audit.caller,
  since: t.audit.since,
  until: t.audit.untilLabel,
  q: t.audit.text,
};

/** The active filters, each with a button that removes it. */
function FilterChips({ filters }: { readonly filters: Filters }) {
  return (
    <ul class="chips" aria-label={t.audit.active}>
      {FILTERS.filter((name) => filters[name] !== '').map((name) => {
        const value = /^\d{4}-.*Z$/.test(filters[name])
          ? `${day(filters[name])} ${clock(filters[name])}`
          : name === 'kind' || name === 'outcome'
            ? filters[name].replaceAll('_', ' ')
            : filters[name];
        return (
          <li key={name}>
            {CHIP_LABELS[name]} <Line text={value} max={60} />
            <button
              type="button"
              aria-label={t.common.remove(plain(`${CHIP_LABELS[name]} ${value}`))}
              onClick={() => setQuery({ [name]: '' })}
            >
              ✕
            </button>
          </li>
        );
      })}
      <li class="plain">
        <a href={href('audit')}>{t.audit.clear}</a>
      </li>
    </ul>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly all: string;
  readonly values: readonly string[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, all, values, onChange }: ChoiceProps) {
  const known = value === '' || values.includes(value) ? values : [...values, value];
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{all}</option>
        {known.map((one) => (
          <option key={one} value={one}>
            {plain(one.replaceAll('_', ' '))}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Debounce of the search field. */
const TYPING_MS = 250;

interface TextFilterProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TextFilter({ label, hint = t.audit.any, value, onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  const timer = useRef(0);
  // A filter that takes effect while the person types on does not replace what is typed.
  useEffect(() => {
    if (timer.current === 0) setTyped(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <label>
      <span>{label}</span>
      <input
        value={typed}
        placeholder={hint}
        spellcheck={false}
        onInput={(event) => {
          const text = event.currentTarget.value;
          setTyped(text);
          clearTimeout(timer.current);
          timer.current = window.setTimeout(() => {
            timer.current = 0;
            onChange(text);
          }, TYPING_MS);
        }}
      />
    </label>
  );
}

/** Counts all calls that match, not only those that the list has loaded. */
function Histogram({ filters }: { readonly filters: Filters }) {
  const { kind, ...query } = filters;
  const isShown = kind === '' || kind === 'call';
  const asked = { ...query, since: query.since || 'beginning', buckets: 120 };
  const loaded = useLoaded(
    () => (isShown ? api<Summary>('/v1/audit/summary', { query: asked }) : Promise.resolve(undefined)),
    [isShown, JSON.stringify(asked)],
  );
  const summary = loaded.value;
  if (!isShown) return null;
  if (loaded.error !== undefined) return <Failure error={loaded.error} retry={loaded.refresh} />;
  if (!summary) return <div class="chart-space" />;
  if (summary.total.calls === 0) return null;
  const time = (seconds: number) => new Date(seconds * 1_000).toISOString();
  return (
    <Chart
      title={t.audit.inRange(summary.total.calls, summary.truncated)}
      unit="calls"
      kind="bars"
      height={110}
      times={summary.buckets.map((bucket) => Date.parse(bucket.time) / 1_000)}
      onBrush={(from, to) => setQuery({ since: time(from), until: time(to) })}
      onPick={(at) => setQuery({ since: time(at), until: new Date(at * 1_000 + summary.bucket_ms).toISOString() })}
      series={[
        { label: t.charts.failed, color: '--failed', values: summary.buckets.map(({ failed }) => failed) },
        { label: t.charts.denied, color: '--warning', values: summary.buckets.map(({ denied }) => denied) },
        ...(summary.total.undecided > 0
          ? [{ label: t.charts.undecided, color: '--asks', values: summary.buckets.map(({ undecided }) => undecided) }]
          : []),
        {
          label: t.charts.ok,
          color: '--ok',
          values: summary.buckets.map(({ calls, failed, denied, undecided }) => calls - failed - denied - undecided),
        },
      ]}
    />
  );
}

function save(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Exports the calls that match the filter, or the whole log with its hashes, which others can verify. */
function ExportButtons({ filters: shown }: { readonly filters: Filters }) {
  const filters = useNamedCallers(shown);
  const exportShown = async () => {
    const items = await listAll<Call>('/v1/audit', filters);
    save('bindery-calls.ndjson', new Blob(items.map((item) => `${JSON.stringify(item)}\n`)));
  };
  const exportAll = async () => save('bindery-audit.ndjson', await (await send('/v1/audit/export')).blob());
  return (
    <div class="actions">
      <ActionButton label={t.audit.exportShown} busyLabel={t.audit.exporting} run={exportShown} />
      {boundTo.value === undefined && (
        <ActionButton label={t.audit.exportAll} busyLabel={t.audit.exporting} run={exportAll} />
      )}
    </div>
  );
}
