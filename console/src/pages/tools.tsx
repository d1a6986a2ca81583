import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { EXPOSURE_LINK, seenByClients } from '../data/exposure.ts';
import { count, percent, tokens } from '../data/format.ts';
import { tools, wantTools } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { href, route, setQuery } from '../data/router.ts';
import type { Costs, Summary, Tool } from '../data/types.ts';
import { Badge, Empty, LoadedView, PageTitle, Tabs, Unknown, VerdictBadge } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { Treemap } from '../parts/treemap.tsx';
import { Cell, HeadCell, VirtualRows } from '../parts/virtual-rows.tsx';
import { t } from '../texts.ts';
import { FindTools } from './find-tools.tsx';
import { ToolPage } from './tool.tsx';

const ROW_HEIGHT = 32;

export function ToolsPage({ path }: { readonly path: readonly string[] }) {
  useEffect(wantTools, []);
  const [name] = path;
  if (name !== undefined && name !== 'find') return <ToolPage key={name} name={name} />;
  const isFind = name === 'find';
  return (
    <>
      <PageTitle title={t.pages.tools} />
      <Tabs
        tabs={[
          { label: t.tools.catalogue, link: href('tools'), isOpen: !isFind },
          { label: t.tools.asAgent, link: href('tools', 'find'), isOpen: isFind },
        ]}
      />
      {isFind ? <FindTools /> : <Catalogue />}
    </>
  );
}

function Catalogue() {
  const month = useLoaded(() => api<Summary>('/v1/audit/summary', { query: { since: '30d', buckets: 1 } }), []);
  const costs = useLoaded(() => api<Costs>('/v1/tools/cost', { query: { limit: 1 } }), [tools.value?.length]);
  return (
    <LoadedView of={tools.state.value} retry={() => void tools.refresh()} rows={10}>
      {(all) =>
        all.length === 0 ? (
          <Empty text={t.tools.none}>
            <a class="button" href={href('servers')}>
              {t.tools.toServers}
            </a>
          </Empty>
        ) : (
          <>
            {costs.value ? <CostLine costs={costs.value} /> : <p>&nbsp;</p>}
            {costs.value ? <Treemap tools={all} servers={costs.value.servers} /> : <div class="treemap-space" />}
            <ToolRows all={all} month={month.value} hasFailed={month.error !== undefined} />
          </>
        )
      }
    </LoadedView>
  );
}

function CostLine({ costs }: { readonly costs: Costs }) {
  const { all, search } = costs.exposures;
  const seen = seenByClients(costs);
  return (
    <p>
      {t.tools.seen(seen.tools, tokens(seen.tokens))}
      {all.tokens > seen.tokens &&
        ` ${t.tools.wouldCost(count(all.tools), tokens(all.tokens), percent(all.tokens - seen.tokens, all.tokens))}`}
      {seen.tokens > search.tokens &&
        ` ${t.tools.wouldSave(tokens(search.tokens), percent(seen.tokens - search.tokens, seen.tokens))}`}{' '}
      <a class="mono" href={EXPOSURE_LINK}>
        {t.overview.exposure(costs.exposure)}
      </a>
    </p>
  );
}

const SORTS = {
  name: (a: Tool, b: Tool) => (a.name < b.name ? -1 : 1),
  tokens: (a: Tool, b: Tool) => b.tokens - a.tokens,
} as const;

interface ToolRowsProps {
  readonly all: readonly Tool[];
  readonly month: Summary | undefined;
  readonly hasFailed: boolean;
}

function ToolRows({ all, month, hasFailed }: ToolRowsProps) {
  const notKnown = hasFailed ? '–' : <Unknown />;
  const [text, setText] = useState(route.value.query.get('q') ?? '');
  const [sort, setSort] = useState<keyof typeof SORTS>('name');
  const used = useMemo(
    () => new Map((month?.tools ?? []).map((one) => [`${one.server}/${one.tool}`, one] as const)),
    [month],
  );
  const shown = useMemo(() => {
    const wanted = text.toLowerCase();
    return all
      .filter(({ name, description }) => `${name} ${description ?? ''}`.toLowerCase().includes(wanted))
      .sort(SORTS[sort]);
  }, [all, text, sort]);
  const row = useCallback(
    (tool: Tool) => {
      const own = used.get(`${tool.server}/${tool.original_name}`);
      return (
        <>
          <Cell>
            <VerdictBadge verdict={tool.decision.decision} />
          </Cell>
          <Cell className="mono">
            <a href={href('tools', tool.name)}>
              <Line text={`${tool.server} / ${tool.original_name}`} max={80} />
            </a>
            {tool.status !== 'active' && <Badge tone="warning">{tool.status}</Badge>}
          </Cell>
          <Cell className="faint">
            <Line text={tool.description ?? ''} max={120} isEscaped />
          </Cell>
          <Cell className="number">{tokens(tool.tokens)}</Cell>
          <Cell className="number">{month ? count(own?.calls ?? 0) : notKnown}</Cell>
          <Cell className="number">{!month ? notKnown : own ? percent(own.failed, own.calls) : '–'}</Cell>
        </>
      );
    },
    [used, month === undefined, hasFailed],
  );
  return (
    <>
      <div class="filters">
        <label>
          <span>{t.tools.filter}</span>
          <input
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setQuery({ q: event.currentTarget.value });
            }}
          />
        </label>
        <label>
          <span>{t.tools.sort}</span>
          <select
            value={sort}
            onChange={(event) => setSort(event.currentTarget.value === 'tokens' ? 'tokens' : 'name')}
          >
            <option value="name">{t.tools.byName}</option>
            <option value="tokens">{t.tools.byTokens}</option>
          </select>
        </label>
        <span class="faint">{t.tools.shown(count(shown.length), count(all.length))}</span>
      </div>
      <VirtualRows
        label={t.pages.tools}
        className="tool-rows"
        items={shown}
        rowHeight={ROW_HEIGHT}
        keyOf={(tool) => tool.name}
        header={
          <>
            <HeadCell>{t.tools.decision}</HeadCell>
            <HeadCell>{t.tools.tool}</HeadCell>
            <HeadCell>{t.tools.description}</HeadCell>
            <HeadCell className="number">{t.tools.tokens}</HeadCell>
            <HeadCell className="number">{t.tools.calls30}</HeadCell>
            <HeadCell className="number">{t.tools.errors}</HeadCell>
          </>
        }
        row={row}
      />
    </>
  );
}
