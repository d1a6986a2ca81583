import { useEffect, useMemo, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { count } from '../data/format.ts';
import { policy, tools, wantTools } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { href, route, setQuery, withQuery } from '../data/router.ts';
import type { Decision, Tool, Verdict } from '../data/types.ts';
import { ActionButton, Badge, Empty, LoadedView, PageTitle, Tabs, VerdictBadge } from '../parts/basics.tsx';
import { Line, plain, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { PolicyEditor } from './policy-editor.tsx';
import { PolicyMatrix } from './policy-matrix.tsx';

const TABS = ['matrix', 'edit', 'check'] as const;

export function PolicyPage({ path }: { readonly path: readonly string[] }) {
  useEffect(wantTools, []);
  const open = TABS.find((one) => one === path[0]) ?? 'matrix';
  return (
    <>
      <PageTitle title={t.pages.policy} />
      <Tabs
        tabs={TABS.map((one) => ({ label: t.policy.tabs[one], link: href('policy', one), isOpen: one === open }))}
      />
      <Layers />
      {open === 'matrix' && <Matrix />}
      {open === 'edit' && <PolicyEditor />}
      {open === 'check' && <Check />}
    </>
  );
}

function Layers() {
  return (
    <LoadedView of={policy.state.value} retry={() => void policy.refresh()} rows={1}>
      {({ open, layers }) =>
        open ? (
          <p>
            <Badge tone="warning">{t.policy.open}</Badge> <a href={href('policy', 'edit')}>{t.policy.openNext}</a>
          </p>
        ) : (
          <ul class="layers">
            {layers.map(({ layer, file, status, profile }) => (
              <li key={`${layer} ${file} ${profile ?? ''}`}>
                <Badge tone={status === 'ok' ? 'ok' : 'failed'}>{t.policy.statuses[status]}</Badge>
                <span class="faint">{` · ${t.policy.layers[layer as keyof typeof t.policy.layers] ?? layer} · `}</span>
                <code>{file.split('/').at(-1)}</code>
              </li>
            ))}
          </ul>
        )
      }
    </LoadedView>
  );
}

/** The tools of each server with their decisions, and the reason for the chosen one. */
function Matrix() {
  const chosen = route.value.query.get('tool');
  return (
    <LoadedView of={tools.state.value} retry={() => void tools.refresh()} rows={8}>
      {(all) => {
        if (all.length === 0)
          return (
            <Empty text={t.tools.none}>
              <a class="button" href={href('servers')}>
                {t.tools.toServers}
              </a>
            </Empty>
          );
        const tool = all.find(({ name }) => name === chosen);
        return <FilteredMatrix all={all} chosen={tool} />;
      }}
    </LoadedView>
  );
}

const VERDICTS = ['allow', 'approval', 'deny'] as const;

/** Filtered by name and by decision; each count is of the tools that match the name. */
function FilteredMatrix({ all, chosen }: { readonly all: readonly Tool[]; readonly chosen: Tool | undefined }) {
  const { query } = route.value;
  const text = query.get('q') ?? '';
  const only = (query.get('decision') ?? '').split(',').filter((one) => one !== '');
  const named = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return all.filter(({ server, original_name }) => `${server} / ${original_name}`.toLowerCase().includes(wanted));
  }, [all, text]);
  const shown = useMemo(
    () => (only.length === 0 ? named : named.filter(({ decision }) => only.includes(decision.decision))),
    [named, only.join()],
  );
  const counts = countVerdicts(named);
  const toggle = (verdict: Verdict) => {
    const next = only.includes(verdict) ? only.filter((one) => one !== verdict) : [...only, verdict];
    setQuery({ decision: next.join(',') });
  };
  return (
    <>
      <div class="filters">
        <label>
          <span>{t.policy.filter}</span>
          <input value={text} spellcheck={false} onInput={(event) => setQuery({ q: event.currentTarget.value })} />
        </label>
        <div class="legend" role="group" aria-label={t.policy.decisions}>
          {VERDICTS.map((verdict) => (
            <button key={verdict} type="button" aria-pressed={only.includes(verdict)} onClick={() => toggle(verdict)}>
              <VerdictBadge verdict={verdict} /> {count(counts[verdict])}
            </button>
          ))}
        </div>
        <span class="faint">{t.tools.shown(count(shown.length), count(all.length))}</span>
      </div>
      {chosen && <Why tool={chosen} />}
      {shown.length === 0 ? (
        <Empty text={t.policy.noneMatch} />
      ) : (
        <PolicyMatrix tools={shown} chosen={chosen?.name ?? null} isNarrowed={shown.length < all.length} />
      )}
    </>
  );
}

function countVerdicts(all: readonly Tool[]): Record<Verdict, number> {
  const counts = { allow: 0, deny: 0, approval: 0 };
  for (const { decision } of all) counts[decision.decision] += 1;
  return counts;
}

function Why({ tool }: { readonly tool: Tool }) {
  const loaded = useLoaded(
    () =>
      api<Decision>('/v1/policy/check', { method: 'POST', body: { server: tool.server, tool: tool.original_name } }),
    [tool.name, tool.decision.decision],
  );
  return (
    <div class="why" role="status">
      <LoadedView of={loaded} retry={loaded.refresh} rows={1}>
        {(decision) => <DecisionText decision={decision} name={tool.original_name} />}
      </LoadedView>
      <a href={href('tools', tool.name)}>{t.policy.toTool}</a>
    </div>
  );
}

function DecisionText({ decision, name }: { readonly decision: Decision; readonly name: string }) {
  const { file, line, rule, reason, refused } = decision;
  return (
    <p>
      <VerdictBadge verdict={decision.decision} />{' '}
      <code>
        <Line text={name} max={120} />
      </code>
      : {t.rules[rule as keyof typeof t.rules] ?? rule}{' '}
      {file !== null && (
        <a class="mono" href={withQuery(href('policy', 'edit'), { file, line: String(line ?? 1) })}>
          {file.split('/').at(-1)}:{line ?? '–'}
        </a>
      )}
      {reason !== null && (
        <>
          {' · '}
          <Shown text={reason} fold={300} />
        </>
      )}
      {refused && (
        <>
          {' · '}
          <code>
            <Line text={refused.pointer ?? ''} max={200} />
          </code>{' '}
          <Shown text={`${refused.value ?? ''} ${refused.why}`} fold={300} />
        </>
      )}
    </p>
  );
}

function Check() {
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const [decision, setDecision] = useState<Decision>();
  const tool = tools.value?.find((one) => one.name === name);
  const isBad = text.trim() !== '' && !isObjectText(text);
  const run = async () => {
    if (!tool) return;
    setDecision(undefined);
    setDecision(
      await api<Decision>('/v1/policy/check', {
        method: 'POST',
        body: {
          server: tool.server,
          tool: tool.original_name,
          ...(text.trim() === '' ? {} : { arguments: JSON.parse(text) }),
        },
      }),
    );
  };
  return (
    <section class="reading">
      <p class="faint">{t.policy.checkText}</p>
      <label>
        {t.tools.tool}
        <select value={name} onChange={(event) => setName(event.currentTarget.value)}>
          <option value="">{t.policy.chooseTool}</option>
          {(tools.value ?? []).map((one) => (
            <option key={one.name} value={one.name}>
              {plain(`${one.server} / ${one.original_name}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t.policy.arguments}
        <textarea
          class="mono"
          rows={5}
          value={text}
          spellcheck={false}
          placeholder={'{ "path": "notes/today.md" }'}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {isBad && <p class="failed-text">{t.tools.badArguments}</p>}
      <div class="actions">
        <ActionButton kind="primary" label={t.policy.check} disabled={!tool || isBad} run={run} />
      </div>
      <div aria-live="polite">{decision && <DecisionText decision={decision} name={tool?.original_name ?? ''} />}</div>
    </section>
  );
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
