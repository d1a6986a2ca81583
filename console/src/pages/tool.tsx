import { useEffect } from 'preact/hooks';
import { api } from '../data/api.ts';
import { followCalls } from '../data/events.ts';
import { ms, tokens } from '../data/format.ts';
import { tail, tools } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { href, withQuery } from '../data/router.ts';
import type { Call, Decision, Tool } from '../data/types.ts';
import { Ago, Badge, Empty, LoadedView, OutcomeBadge, PageTitle, Scroll, VerdictBadge } from '../parts/basics.tsx';
import { Caller } from '../parts/caller.tsx';
import { Json } from '../parts/json.tsx';
import { Line, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { CallForm } from './call-form.tsx';

export function ToolPage({ name }: { readonly name: string }) {
  return (
    <>
      <nav class="crumbs" aria-label={t.common.path}>
        <a href={href('tools')}>{t.pages.tools}</a> /{' '}
        <span class="mono">
          <Line text={name} max={120} />
        </span>
      </nav>
      <LoadedView of={tools.state.value} retry={() => void tools.refresh()}>
        {(all) => {
          const tool = all.find((one) => one.name === name);
          return tool ? <ToolDetail tool={tool} /> : <NoTool name={name} />;
        }}
      </LoadedView>
    </>
  );
}

function NoTool({ name }: { readonly name: string }) {
  return (
    <>
      <PageTitle title={t.tools.goneTitle} />
      <Empty text={t.tools.gone(name)}>
        <a class="button" href={withQuery(href('tools'), { q: name.split('__').at(-1) })}>
          {t.tools.toCatalogue}
        </a>
      </Empty>
    </>
  );
}

function ToolDetail({ tool }: { readonly tool: Tool }) {
  const hints = Object.entries(tool.annotations ?? {}).filter(([, value]) => typeof value === 'boolean');
  return (
    <>
      <PageTitle title={tool.original_name}>
        {tool.status === 'active' ? (
          <VerdictBadge verdict={tool.decision.decision} />
        ) : (
          <Badge tone="warning">{tool.status === 'removed' ? tool.status : t.tools.held}</Badge>
        )}
      </PageTitle>
      {(tool.status === 'changed' || tool.status === 'quarantined') && (
        <p>
          {t.tools.heldText} <a href={href('servers', tool.server, 'changes')}>{t.tools.toChanges}</a>
        </p>
      )}
      <p class="description">
        <Shown text={tool.description ?? t.tools.noDescription} isEscaped />
      </p>
      <dl class="facts">
        <dt>{t.tools.server}</dt>
        <dd>
          <a class="mono" href={href('servers', tool.server)}>
            {tool.server}
          </a>
        </dd>
        <dt>{t.tools.decision}</dt>
        <dd>
          <Rule tool={tool} />
        </dd>
        <dt>{t.tools.tokens}</dt>
        <dd>{tokens(tool.tokens)}</dd>
        <dt>{t.tools.hints}</dt>
        <dd>
          {hints.length === 0
            ? t.tools.noHints
            : hints
                .map(([hint, value]) => {
                  const name = hint.replace(/Hint$/, '');
                  const known = t.tools.hintNames[name as keyof typeof t.tools.hintNames] ?? name;
                  return `${known}: ${value === true ? t.common.yes : t.common.no}`;
                })
                .join(' · ')}
        </dd>
        <dt>{t.tools.digest}</dt>
        <dd class="mono wrap">{tool.definition_sha256}</dd>
      </dl>
      <div class="columns">
        <section class="grow">
          <h2>{t.tools.tryCall}</h2>
          <CallForm tool={tool} />
        </section>
        <section class="grow">
          <h2>{t.tools.schema}</h2>
          <Json value={tool.input_schema} />
          <h2>{t.tools.lastCalls}</h2>
          <LastCalls tool={tool} />
        </section>
      </div>
    </>
  );
}

function Rule({ tool }: { readonly tool: Tool }) {
  const loaded = useLoaded(
    () =>
      api<Decision>('/v1/policy/check', {
        method: 'POST',
        body: { server: tool.server, tool: tool.original_name },
      }),
    [tool.name, tool.decision.decision],
  );
  return (
    <LoadedView of={loaded} retry={loaded.refresh} rows={1}>
      {({ rule, file, line }) => (
        <>
          {t.rules[rule as keyof typeof t.rules] ?? rule}{' '}
          {file !== null && (
            <a class="mono" href={withQuery(href('policy', 'edit'), { file, line: String(line ?? 1) })}>
              {file.split('/').at(-1)}:{line ?? '–'}
            </a>
          )}
        </>
      )}
    </LoadedView>
  );
}

function LastCalls({ tool }: { readonly tool: Tool }) {
  useEffect(followCalls, []);
  const newest = tail.value.find((call) => call.server === tool.server && call.tool === tool.original_name)?.call_id;
  const loaded = useLoaded(
    () =>
      api<{ items: Call[] }>('/v1/audit', {
        query: { server: tool.server, tool: tool.original_name, kind: 'call', limit: 8 },
      }),
    [tool.name],
  );
  // A call that ended meanwhile, started here or elsewhere.
  useEffect(() => {
    if (newest !== undefined) void loaded.refresh();
  }, [newest]);
  return (
    <LoadedView of={loaded} retry={loaded.refresh} rows={3}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="faint">{t.tools.neverCalled}</p>
        ) : (
          <Scroll>
            <table>
              <tbody>
                {items.map((call) => (
                  <tr key={call.call_id}>
                    <td>
                      <OutcomeBadge call={call} />
                    </td>
                    <td>
                      <a href={href('audit', 'call', call.call_id)}>
                        <Caller caller={call.caller} user={call.user} client={call.client} />
                      </a>
                    </td>
                    <td class="number wide-only">{ms(call.total_us)}</td>
                    <td class="number">
                      <Ago time={call.time} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        )
      }
    </LoadedView>
  );
}
