import { useState } from 'preact/hooks';
import { api, typedToken } from '../data/api.ts';
import { bytes, span } from '../data/format.ts';
import { mayChange, now } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { go, href, withQuery } from '../data/router.ts';
import type { Approval, Call } from '../data/types.ts';
import { ActionButton, Ago, Badge, Failure, LoadedView, OutcomeBadge } from '../parts/basics.tsx';
import { Json } from '../parts/json.tsx';
import { Line, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { AfterApproval } from './after-approval.tsx';

interface DecisionProps {
  /** It has been on the screen for long enough. */
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly approve: (remember: 'none' | 'session') => Promise<void>;
  readonly deny: () => void;
}

interface ApprovalDetailProps {
  readonly approval: Approval;
  /** Where it can be decided. */
  readonly decision?: DecisionProps;
  /** Where the list goes on. */
  readonly next?: { readonly link: string | undefined; readonly isReady: boolean };
}

export function StatusBadge({ approval }: { readonly approval: Approval }) {
  const tones = { pending: 'asks', approved: 'ok', used: 'ok', denied: 'failed', expired: 'off' } as const;
  return <Badge tone={tones[approval.status]}>{t.approvals.statuses[approval.status]}</Badge>;
}

export function ApprovalDetail({ approval, decision, next }: ApprovalDetailProps) {
  const { server, tool, rule, reason, status } = approval;
  const left = Date.parse(approval.expires_at) - now.value;
  return (
    <article class="detail" aria-label={`${server} / ${tool}`}>
      <header>
        <h2 class="mono">
          <Line text={`${server} / ${tool}`} max={120} />
        </h2>
        <StatusBadge approval={approval} />
        {status === 'pending' && <span class="faint">{t.approvals.left(span(left))}</span>}
        {next && <NextWaiting {...next} />}
      </header>
      {reason !== null && (
        <p>
          <Shown text={reason} fold={500} />
        </p>
      )}
      {decision && <Decision approval={approval} {...decision} />}
      {approval.decided_at !== null && (
        <p role="status">
          <Line text={t.approvals.decidedBy(approval.decided_by ?? '', approval.decided_via ?? '')} />{' '}
          <Ago time={approval.decided_at} />
          {approval.decision_reason !== null && (
            <>
              {': '}
              <Shown text={approval.decision_reason} fold={500} />
            </>
          )}
        </p>
      )}
      {(status === 'approved' || status === 'used') && <AfterApproval approval={approval} />}
      <h3>{t.approvals.arguments}</h3>
      <Arguments key={approval.id} approval={approval} />
      <dl class="facts">
        <dt>{t.approvals.who}</dt>
        <dd>
          <Line text={approval.caller} max={100} />
          {approval.client && (
            <>
              {' · '}
              <Line text={`${approval.client.name} ${approval.client.version}`} max={80} />
            </>
          )}
          {` · ${t.approvals.profile} ${approval.profile}`}
        </dd>
        <dt>{t.approvals.rule}</dt>
        <dd>
          {rule.file === null ? (
            t.approvals.noRule
          ) : (
            <a class="mono" href={withQuery(href('policy', 'edit'), { file: rule.file, line: String(rule.line ?? 1) })}>
              {rule.file.split('/').at(-1)}:{rule.line ?? '–'}
            </a>
          )}{' '}
          {rule.pointer !== null && <code>{rule.pointer}</code>}
        </dd>
        <dt>{t.approvals.digest}</dt>
        <dd class="mono wrap">{approval.arguments_sha256}</dd>
        <dt>{t.approvals.call}</dt>
        <dd>
          <a class="mono" href={href('audit', 'call', approval.call_id)}>
            {approval.call_id}
          </a>
        </dd>
      </dl>
      <h3>{t.approvals.before}</h3>
      <ClientHistory approval={approval} />
    </article>
  );
}

function NextWaiting({ link, isReady }: Required<ApprovalDetailProps>['next']) {
  if (link === undefined) return <span class="faint next">{t.approvals.none}</span>;
  return (
    <button type="button" class="next" title="j" disabled={!isReady} onClick={() => go(link)}>
      {t.approvals.next}
    </button>
  );
}

function Decision({ approval, isReady, isBusy, approve, deny }: DecisionProps & { readonly approval: Approval }) {
  const isHere = approval.surfaces.includes('console');
  const isRemembered = isHere && approval.remember_allowed !== 'never';
  if (!mayChange.value)
    return <p class="faint">{typedToken.value === '' ? t.approvals.readOnly : t.approvals.readsOnly}</p>;
  return (
    <>
      {!isHere && <p class="faint">{t.approvals.elsewhere(approval.surfaces.join(', '))}</p>}
      <div class="actions">
        {isHere && (
          <ActionButton
            kind="primary"
            label={isBusy ? t.approvals.approving : t.approvals.approveOnce}
            busyLabel={t.approvals.approving}
            title="a"
            disabled={!isReady}
            run={() => approve('none')}
          />
        )}
        {isRemembered && (
          <ActionButton
            label={t.approvals.approveSession}
            busyLabel={t.approvals.approving}
            title="s"
            disabled={!isReady}
            run={() => approve('session')}
          />
        )}
        <button type="button" class="danger" title="d" disabled={!isReady} onClick={deny}>
          {t.approvals.denyMore}
        </button>
        <span class="faint keys-hint">
          {[
            ...(isHere ? [t.approvals.keys.approve] : []),
            ...(isRemembered ? [t.approvals.keys.session] : []),
            t.approvals.keys.deny,
            t.approvals.keys.move,
          ].join(' · ')}
        </span>
      </div>
    </>
  );
}

interface ArgumentsProps {
  readonly approval: Approval;
  /** Nothing is folded. */
  readonly isWhole?: boolean;
}

/** Masked one by one; each look behind a mask is recorded. */
export function Arguments({ approval, isWhole = false }: ArgumentsProps) {
  const [revealed, setRevealed] = useState<Readonly<Record<string, string>>>({});
  const [exact, setExact] = useState<string>();
  const [error, setError] = useState<unknown>();
  const reveal = async (path: string | undefined) => {
    const { text } = await api<{ text: string }>(`/v1/approvals/${encodeURIComponent(approval.id)}/arguments`, {
      method: 'POST',
      body: path === undefined ? {} : { path },
    });
    if (path === undefined) setExact(text);
    else setRevealed((known) => ({ ...known, [path]: text }));
  };
  const canReveal = mayChange.value && approval.status === 'pending';
  return (
    <>
      <Json
        value={approval.arguments ?? {}}
        masked={approval.masked}
        isWhole={isWhole}
        isEscaped
        reveal={(pointer) =>
          revealed[pointer] !== undefined ? (
            <span class="revealed">
              <Shown text={revealed[pointer]} />
            </span>
          ) : (
            canReveal && <ActionButton label={t.approvals.reveal} run={() => reveal(pointer)} onError={setError} />
          )
        }
      />
      {error !== undefined && <Failure error={error} />}
      {canReveal && exact === undefined && (
        <ActionButton label={t.approvals.exactBytes} run={() => reveal(undefined)} onError={setError} />
      )}
      {exact !== undefined && (
        <>
          <p class="faint">{t.approvals.exactIs(bytes(new TextEncoder().encode(exact).length))}</p>
          <pre>
            <Shown text={exact} fold={4_000} />
          </pre>
        </>
      )}
    </>
  );
}

const BEFORE_SHOWN = 8;

/** Callers without a key share a name: their session tells them apart, or else what the client calls itself. */
function ClientHistory({ approval: { id, caller, session, client } }: { readonly approval: Approval }) {
  const loaded = useLoaded(async () => {
    const query = { caller, session: session ?? undefined, kind: 'call', limit: session === null ? 200 : BEFORE_SHOWN };
    const { items } = await api<{ items: Call[] }>('/v1/audit', { query });
    const own = session === null ? items.filter((call) => call.client?.name === client?.name) : items;
    return { items: own.slice(0, BEFORE_SHOWN) };
  }, [id]);
  return (
    <LoadedView of={loaded} retry={loaded.refresh} rows={3}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="faint">{t.approvals.noneBefore}</p>
        ) : (
          <table>
            <tbody>
              {items.map((call) => (
                <tr key={call.call_id}>
                  <td>
                    <OutcomeBadge call={call} />
                  </td>
                  <td class="mono">
                    <a href={href('audit', 'call', call.call_id)}>
                      <Line text={`${call.server ?? ''} / ${call.tool ?? ''}`} max={60} />
                    </a>
                  </td>
                  <td class="number">
                    <Ago time={call.time} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )
      }
    </LoadedView>
  );
}
