import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { hasCredential } from '../data/callers.ts';
import { bytes, count, span } from '../data/format.ts';
import { leftApprovals, mayChange, now } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { needsAdmin } from '../data/needs-admin.ts';
import { subjectOf } from '../data/outcomes.ts';
import { go, href, withQuery } from '../data/router.ts';
import type { Approval, Call } from '../data/types.ts';
import { ActionButton, Ago, Badge, Failure, LoadedView, OutcomeBadge } from '../parts/basics.tsx';
import { Caller } from '../parts/caller.tsx';
import { Json, lineCount } from '../parts/json.tsx';
import { Line, plain, plainEscapes, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { AfterApproval } from './after-approval.tsx';
import { DecidedBy } from './decided-by.tsx';
import { EndOfLines } from './end-of-lines.tsx';
import { COVERED_PX } from './on-screen.ts';
import { OtherCalls } from './other-calls.tsx';
import { ReadBar } from './read-bar.tsx';
import { argumentsKey, type Reading } from './reading.ts';
import { sessionScope } from './session-scope.ts';

interface DecisionProps {
  /** All arguments have been on the screen. */
  readonly isRead: boolean;
  readonly readOn: () => Promise<void>;
  /** It has been on the screen for long enough. */
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly approve: () => Promise<void>;
  /** Asks whether to allow the tool for the session. */
  readonly allow: () => void;
  readonly deny: () => void;
}

interface ApprovalDetailProps {
  readonly approval: Approval;
  readonly reading: Reading;
  /** Set if it can be decided here. */
  readonly decision?: DecisionProps;
  /** The next approval of the list. */
  readonly next?: { readonly link: string | undefined; readonly isReady: boolean };
}

export function StatusBadge({ approval }: { readonly approval: Approval }) {
  const tones = { pending: 'asks', approved: 'ok', used: 'ok', denied: 'failed', expired: 'off' } as const;
  const { status, remember } = approval;
  const isYes = status === 'approved' || status === 'used';
  return (
    <Badge tone={tones[status]}>
      {t.approvals.statuses[status]}
      {isYes && remember !== 'none' && `, ${t.approvals.remembered[remember]}`}
    </Badge>
  );
}

export function ApprovalDetail({ approval, reading, decision, next }: ApprovalDetailProps) {
  const { server, tool, rule, reason, status } = approval;
  const left = Date.parse(approval.expires_at) - now.value;
  const place = useRef<HTMLElement>(null);
  // The page may have been scrolled to the end of another call: what is opened begins at its beginning.
  useLayoutEffect(() => {
    const top = place.current?.getBoundingClientRect().top ?? 0;
    if (top < COVERED_PX || top > innerHeight - 2 * COVERED_PX)
      place.current?.scrollIntoView({ block: 'start', behavior: 'instant' });
  }, []);
  return (
    <article class="detail" ref={place} aria-label={plain(`${server} / ${tool}`)}>
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
      {status === 'pending' && leftApprovals.value?.has(approval.id) && <p role="note">{t.approvals.clientGone}</p>}
      {decision && <Decision approval={approval} reading={reading} {...decision} />}
      {approval.decided_at !== null && (
        <p role="status">
          <DecidedBy approval={approval} />
        </p>
      )}
      {(status === 'approved' || status === 'used') && <AfterApproval approval={approval} />}
      <h3>{t.approvals.arguments}</h3>
      <Arguments key={approval.id} approval={approval} reading={reading} />
      <dl class="facts">
        <dt>{t.approvals.who}</dt>
        <dd>
          <Caller {...approval} isWhole isEscaped />
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
      <h3>{hasCredential(approval.caller) ? t.approvals.beforeOfKey : t.approvals.beforeOfSession}</h3>
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

function Decision(props: DecisionProps & ArgumentsProps) {
  const { approval, reading, isReady, isRead, allow, deny } = props;
  const isHere = approval.surfaces.includes('console');
  const isRemembered = isHere && isRead && approval.remember_allowed !== 'never';
  if (!mayChange.value) return <p class="faint">{needsAdmin(t.approvals.toDecide)}</p>;
  return (
    <>
      {!isHere && <p class="faint">{t.approvals.elsewhere(approval.surfaces.join(', '))}</p>}
      <div class="actions decision">
        {isHere && <ApproveButton {...props} />}
        <button type="button" class="danger" title="d" disabled={!isReady} onClick={deny}>
          {t.approvals.denyMore}
        </button>
        {isRemembered && (
          <button type="button" title={plainEscapes(sessionScope(approval))} disabled={!isReady} onClick={allow}>
            {t.approvals.approveSession}
          </button>
        )}
        <span class="faint keys-hint">
          {[
            ...(isHere ? [isRead ? t.approvals.keys.approve : t.approvals.keys.show] : []),
            t.approvals.keys.deny,
            ...(isRemembered ? [t.approvals.keys.session] : []),
            t.approvals.keys.move,
          ].map(([keys, does]) => (
            <span key={does}>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}{' '}
              {does}
            </span>
          ))}
        </span>
        {isHere && !isRead && reading.isUnfolded(approval) && (
          <ReadBar lines={reading.lines} of={[argumentsKey(approval)]} />
        )}
      </div>
      {isRemembered && (
        <p class="faint session-scope">
          {t.approvals.sessionIs} <Line text={sessionScope(approval)} max={300} isEscaped />
        </p>
      )}
    </>
  );
}

/** Until all arguments have been on the screen, it only scrolls on. */
function ApproveButton(props: DecisionProps & ArgumentsProps) {
  const { isRead, isReady, isBusy, approve, readOn, approval, reading } = props;
  if (!isRead)
    return (
      <ActionButton
        key="show"
        label={
          reading.isUnfolded(approval)
            ? t.approvals.readOn(reading.lines.left(argumentsKey(approval)))
            : t.approvals.showFirst
        }
        busyLabel={t.approvals.showingAll}
        title="a"
        disabled={!isReady}
        run={readOn}
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
      run={approve}
    />
  );
}

interface ArgumentsProps {
  readonly approval: Approval;
  readonly reading: Reading;
}

/** Values are masked one by one; the gateway records each reveal. */
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
    <div class="arguments">
      <p class="faint arguments-size">{sizeOf(approval)}</p>
      <OtherCalls approval={approval} />
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
      <EndOfLines key={`${isOpen} ${exact === undefined}`} of={argumentsKey(approval)} lines={reading.lines} />
    </div>
  );
}

/** The size of the arguments, including folded and cut parts. */
function sizeOf({ arguments: args, cut = [] }: Approval): string {
  const missing = cut.reduce((sum, one) => sum + one.characters - one.shown, 0);
  return t.approvals.size(lineCount(args ?? {}), count(JSON.stringify(args ?? {}).length + missing));
}

const BEFORE_SHOWN = 8;
const BEFORE_ASKED = 100;

/** The history of the key or user, across sessions. Callers without one share a name, so their session identifies them. */
function ClientHistory({ approval: { id, call_id, caller, session, client } }: { readonly approval: Approval }) {
  const isOwn = hasCredential(caller);
  const loaded = useLoaded(async () => {
    const query = { caller, session: isOwn ? undefined : (session ?? undefined), kind: 'call', limit: BEFORE_ASKED };
    const { items } = await api<{ items: Call[] }>('/v1/audit', { query });
    const before = items.filter(
      (call) =>
        call.call_id !== call_id &&
        call.approval_id !== id &&
        (isOwn || session !== null || plain(call.client?.name ?? '') === plainEscapes(client?.name ?? '')),
    );
    return { items: before.slice(0, BEFORE_SHOWN) };
  }, [id]);
  return (
    <LoadedView of={loaded} retry={loaded.refresh} rows={3}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="faint">{isOwn ? t.approvals.noneOfKey : t.approvals.noneOfSession}</p>
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
                      <Line text={subjectOf(call)} max={60} />
                    </a>
                  </td>
                  <td class="faint">
                    {isOwn &&
                      (call.session === (session ?? undefined) ? t.approvals.thisSession : t.approvals.otherSession)}
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
