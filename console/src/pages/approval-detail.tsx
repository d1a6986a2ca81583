import { useState } from 'preact/hooks';
import { api, typedToken } from '../data/api.ts';
import { bytes, span } from '../data/format.ts';
import { mayChange, now } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { go, href, withQuery } from '../data/router.ts';
import type { Approval, Call } from '../data/types.ts';
import { ActionButton, Ago, Badge, Failure, LoadedView, OutcomeBadge } from '../parts/basics.tsx';
import { Json } from '../parts/json.tsx';
import { Line, plain, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { AfterApproval } from './after-approval.tsx';
import type { Reading } from './reading.ts';

interface DecisionProps {
  /** All of the arguments is on the screen. */
  readonly isRead: boolean;
  readonly readAll: () => Promise<void>;
  /** It has been on the screen for long enough. */
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly approve: (remember: 'none' | 'session') => Promise<void>;
  readonly deny: () => void;
}

interface ApprovalDetailProps {
  readonly approval: Approval;
  readonly reading: Reading;
  /** Where it can be decided. */
  readonly decision?: DecisionProps;
  /** Where the list goes on. */
  readonly next?: { readonly link: string | undefined; readonly isReady: boolean };
}

export function StatusBadge({ approval }: { readonly approval: Approval }) {
  const tones = { pending: 'asks', approved: 'ok', used: 'ok', denied: 'failed', expired: 'off' } as const;
  return <Badge tone={tones[approval.status]}>{t.approvals.statuses[approval.status]}</Badge>;
}

export function ApprovalDetail({ approval, reading, decision, next }: ApprovalDetailProps) {
  const { server, tool, rule, reason, status } = approval;
  const left = Date.parse(approval.expires_at) - now.value;
  return (
    <article class="detail" aria-label={plain(`${server} / ${tool}`)}>
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
      <Arguments key={approval.id} approval={approval} reading={reading} />
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

function Decision(props: DecisionProps & { readonly approval: Approval }) {
  const { approval, isReady, isRead, deny } = props;
  const isHere = approval.surfaces.includes('console');
  const isRemembered = isHere && isRead && approval.remember_allowed !== 'never';
  if (!mayChange.value)
    return <p class="faint">{typedToken.value === '' ? t.approvals.readOnly : t.approvals.readsOnly}</p>;
  return (
    <>
      {!isHere && <p class="faint">{t.approvals.elsewhere(approval.surfaces.join(', '))}</p>}
      <div class="actions">
        {isHere && <ApproveButton {...props} />}
        {isRemembered && (
          <ActionButton
            label={t.approvals.approveSession}
            busyLabel={t.approvals.approving}
            title="s"
            disabled={!isReady}
            run={() => props.approve('session')}
          />
        )}
        <button type="button" class="danger" title="d" disabled={!isReady} onClick={deny}>
          {t.approvals.denyMore}
        </button>
        <span class="faint keys-hint">
          {[
            ...(isHere ? [isRead ? t.approvals.keys.approve : t.approvals.keys.show] : []),
            ...(isRemembered ? [t.approvals.keys.session] : []),
            t.approvals.keys.deny,
            t.approvals.keys.move,
          ].join(' · ')}
        </span>
      </div>
    </>
  );
}

/** Before all of the arguments is on the screen it does no more than bring it there. */
function ApproveButton({ isRead, isReady, isBusy, approve, readAll }: DecisionProps) {
  if (!isRead)
    return (
      <ActionButton
        key="show"
        label={t.approvals.showFirst}
        busyLabel={t.approvals.showingAll}
        title="a"
        disabled={!isReady}
        run={readAll}
      />
    );
  return (
    <ActionButton
      key="approve"
      kind="primary"
      label={isBusy ? t.approvals.approving : t.approvals.approveOnce}
      busyLabel={t.approvals.approving}
      title="a"
      disabled={!isReady}
      run={() => approve('none')}
    />
  );
}

interface ArgumentsProps {
  readonly approval: Approval;
  readonly reading: Reading;
}

/** Masked one by one; each look behind a mask is recorded. */
export function Arguments({ approval, reading }: ArgumentsProps) {
  const [revealed, setRevealed] = useState<ReadonlyMap<string, string>>(new Map());
  const [error, setError] = useState<unknown>();
  const { isOpen, exact, error: notLoaded } = reading.of(approval);
  const canReveal = mayChange.value && approval.status === 'pending';
  const fold = { isOpen, open: () => void reading.readAll(approval) };
  const reveal = async (path: string) => {
    const { text } = await api<{ text: string }>(`/v1/approvals/${encodeURIComponent(approval.id)}/arguments`, {
      method: 'POST',
      body: { path },
    });
    setRevealed((known) => new Map(known).set(path, text));
  };
  const behindMask = (pointer: string) => {
    const text = revealed.get(pointer);
    if (text === undefined)
      return canReveal && <ActionButton label={t.approvals.reveal} run={() => reveal(pointer)} onError={setError} />;
    return (
      <span class="revealed">
        <Shown text={text} />
      </span>
    );
  };
  return (
    <>
      <Json
        value={approval.arguments ?? {}}
        masked={approval.masked}
        cut={approval.cut ?? []}
        canLoad={canReveal}
        fold={fold}
        isEscaped
        reveal={behindMask}
      />
      {error !== undefined && <Failure error={error} />}
      {notLoaded !== undefined && <Failure error={notLoaded} />}
      {canReveal && exact === undefined && (
        <ActionButton label={t.approvals.exactBytes} run={() => reading.loadExact(approval)} />
      )}
      {exact !== undefined && (
        <>
          <p class="faint">{t.approvals.exactIs(bytes(new TextEncoder().encode(exact).length))}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
          <pre tabIndex={0} role="region" aria-label={t.approvals.exactBytes}>
            <Shown text={exact} fold={4_000} with={fold} />
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
