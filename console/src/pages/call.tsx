import { api } from '../data/api.ts';
import { keyName } from '../data/callers.ts';
import { bytes, clock, count, day, ms } from '../data/format.ts';
import { useLoaded } from '../data/loaded.ts';
import { subjectOf } from '../data/outcomes.ts';
import { go, href, route, withQuery } from '../data/router.ts';
import type { Call, CallWithRecords } from '../data/types.ts';
import { LoadedView, OutcomeBadge } from '../parts/basics.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Json } from '../parts/json.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

/** One call beside the list: the parts of its time, and its stored records. */
export function CallDrawer({ id }: { readonly id: string }) {
  const loaded = useLoaded(() => api<CallWithRecords>(`/v1/audit/${encodeURIComponent(id)}`), [id]);
  const close = () => go(withQuery(href('audit'), Object.fromEntries(route.value.query)));
  return (
    <Dialog title={t.call.title} onClose={close} className="drawer">
      <LoadedView of={loaded} retry={loaded.refresh}>
        {(call) => (
          <>
            <p class="call-head">
              <OutcomeBadge call={call} />
              <span class="mono">
                <Line text={subjectOf(call)} max={100} />
              </span>
            </p>
            <Waterfall call={call} />
            <Facts call={call} />
            {call.arguments !== undefined && (
              <>
                <h3>{t.call.arguments}</h3>
                <Json value={call.arguments} />
              </>
            )}
            <h3>{t.call.records}</h3>
            {call.records.map((record) => (
              <Json key={String(record.seq)} value={record} />
            ))}
          </>
        )}
      </LoadedView>
    </Dialog>
  );
}

/** What is compared or copied letter by letter. */
const MONO: ReadonlySet<string> = new Set([t.call.session, t.call.resultDigest, t.call.argumentsDigest, t.call.id]);

function Facts({ call }: { readonly call: Call }) {
  const rows: readonly (readonly [string, string | undefined])[] = [
    [t.call.time, `${day(call.time)} ${clock(call.time)}`],
    [t.call.key, keyName(call.caller)],
    [t.audit.caller, call.caller],
    [t.call.user, call.user],
    [t.call.client, call.client && `${call.client.name} ${call.client.version}`],
    [t.call.profile, call.profile],
    [t.call.session, call.session],
    [
      t.call.rule,
      call.rule &&
        `${t.rules[call.rule.rule as keyof typeof t.rules] ?? call.rule.rule.replaceAll('_', ' ')}${call.rule.file === undefined ? '' : ` (${call.rule.file}:${call.rule.line ?? '–'})`}`,
    ],
    [t.call.approver, call.approver],
    [
      t.call.result,
      call.result_bytes === undefined
        ? undefined
        : [call.result_type, bytes(call.result_bytes)].filter((part) => part !== undefined).join(' · '),
    ],
    [t.call.resultDigest, call.result_sha256],
    [t.call.argumentsDigest, call.arguments_sha256],
    [t.call.chain, `${call.chain} · ${count(call.seq)}`],
    [t.call.id, call.call_id],
  ];
  return (
    <dl class="facts">
      {rows.map(
        ([name, value]) =>
          value !== undefined && (
            <>
              <dt key={name}>{name}</dt>
              <dd class={MONO.has(name) ? 'wrap mono' : 'wrap'}>
                <Line text={value} max={300} />
              </dd>
            </>
          ),
      )}
      {call.approval_id !== undefined && (
        <>
          <dt>{t.call.approval}</dt>
          <dd>
            <a class="mono" href={href('approvals', 'decided', call.approval_id)}>
              {call.approval_id}
            </a>
          </dd>
        </>
      )}
    </dl>
  );
}

/** The parts of a call's time, in order. */
function Waterfall({ call }: { readonly call: Call }) {
  const { total_us, queue_us = 0, upstream_us = 0, approval_id } = call;
  if (total_us === undefined || total_us === 0) return null;
  const own = Math.max(0, total_us - queue_us - upstream_us);
  const parts = [
    {
      name: approval_id === undefined ? t.call.gateway : t.call.waiting,
      us: own,
      tone: approval_id === undefined ? 'off' : 'asks',
    },
    { name: t.call.queue, us: queue_us, tone: 'warning' },
    { name: t.call.upstream, us: upstream_us, tone: 'ok' },
  ];
  let from = 0;
  return (
    <table class="waterfall">
      <caption class="visually-hidden">{t.call.waterfall}</caption>
      <tbody>
        {parts.map(({ name, us, tone }) => {
          const [left, width] = [(100 * from) / total_us, (100 * us) / total_us];
          from += us;
          return (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="track">
                <span class={`bar ${tone}`} style={{ marginLeft: `${left}%`, width: `${Math.max(width, 0.5)}%` }} />
              </td>
              <td class="number">{ms(us)}</td>
            </tr>
          );
        })}
        <tr>
          <th scope="row">{t.call.total}</th>
          <td />
          <td class="number">{ms(total_us)}</td>
        </tr>
      </tbody>
    </table>
  );
}
