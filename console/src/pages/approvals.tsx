import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { listAll } from '../data/api.ts';
import { span } from '../data/format.ts';
import { decided, mayChange, now, pending } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { go, href } from '../data/router.ts';
import type { Approval } from '../data/types.ts';
import { ActionButton, Ago, Badge, Empty, Failure, LoadedView, PageTitle, Tabs } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { ApprovalDetail } from './approval-detail.tsx';
import { decide } from './decide.ts';
import { DenyDialog } from './deny-dialog.tsx';
import { NotifyButton } from './notify.tsx';

export function ApprovalsPage({ path }: { readonly path: readonly string[] }) {
  const isHistory = path[0] === 'decided';
  return (
    <>
      <PageTitle title={t.pages.approvals}>
        <NotifyButton />
      </PageTitle>
      <Tabs
        tabs={[
          {
            label: t.approvals.waiting,
            link: href('approvals'),
            isOpen: !isHistory,
            count: pending.value?.length ?? 0,
          },
          { label: t.approvals.decided, link: href('approvals', 'decided'), isOpen: isHistory },
        ]}
      />
      {isHistory ? <History path={path} /> : <Inbox id={path[0]} />}
    </>
  );
}

/** Those that wait, oldest first, and those that were decided a moment ago, each in its place. */
function inboxItems(): Approval[] {
  const waiting = (pending.value ?? []).filter(({ expires_at }) => Date.parse(expires_at) > now.value);
  const ids = new Set(waiting.map(({ id }) => id));
  const done = [...decided.value.values()].filter(({ id }) => !ids.has(id));
  return [...waiting, ...done].sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

function Inbox({ id }: { readonly id: string | undefined }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [denying, setDenying] = useState<readonly Approval[]>([]);
  const [error, setError] = useState<unknown>();
  const items = inboxItems();
  const selected = items.find((item) => item.id === id) ?? items.find(({ status }) => status === 'pending') ?? items[0];
  const several = items.filter((item) => chosen.has(item.id) && item.status === 'pending');
  const approve = useCallback(async (approvals: readonly Approval[], remember: 'none' | 'session' = 'none') => {
    setError(undefined);
    try {
      for (const approval of approvals) await decide(approval, 'approve', { remember });
      setChosen(new Set());
    } catch (thrown) {
      setError(thrown);
    }
  }, []);
  useKeys(items, selected, { approve, deny: setDenying });
  const choose = (item: Approval, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(item.id);
    else next.delete(item.id);
    setChosen(next);
  };
  return (
    <LoadedView of={pending.state.value} retry={() => void pending.refresh()}>
      {() =>
        items.length === 0 ? (
          <Empty text={t.approvals.none}>
            <p class="faint">{t.approvals.noneNext}</p>
            <a class="button" href={href('policy')}>
              {t.approvals.toPolicy}
            </a>
          </Empty>
        ) : (
          <>
            {error !== undefined && <Failure error={error} />}
            {several.length > 1 && mayChange.value && (
              <div class="actions bar">
                <span>{t.approvals.chosen(several.length)}</span>
                <ActionButton
                  kind="primary"
                  label={t.approvals.approveAll(several.length)}
                  run={() => approve(several)}
                />
                <button type="button" class="danger" onClick={() => setDenying(several)}>
                  {t.approvals.denyAll(several.length)}
                </button>
              </div>
            )}
            <div class="split">
              <ul class="inbox" aria-label={t.approvals.waiting}>
                {items.map((item) => (
                  <InboxItem
                    key={item.id}
                    item={item}
                    isOpen={item.id === selected?.id}
                    isChosen={chosen.has(item.id)}
                    onChoose={(isChosen) => choose(item, isChosen)}
                  />
                ))}
              </ul>
              {selected && (
                <ApprovalDetail
                  key={selected.id}
                  approval={selected}
                  onApprove={(remember) => approve([selected], remember)}
                  onDeny={() => setDenying([selected])}
                />
              )}
            </div>
            {denying.length > 0 && <DenyDialog approvals={denying} onClose={() => setDenying([])} />}
          </>
        )
      }
    </LoadedView>
  );
}

interface InboxItemProps {
  readonly item: Approval;
  readonly isOpen: boolean;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}

function InboxItem({ item, isOpen, isChosen, onChoose }: InboxItemProps) {
  const life = Date.parse(item.expires_at) - Date.parse(item.created_at);
  const left = Math.max(0, Date.parse(item.expires_at) - now.value);
  const isWaiting = item.status === 'pending';
  return (
    <li class={isOpen ? 'open' : ''}>
      {mayChange.value && (
        <input
          type="checkbox"
          checked={isChosen}
          disabled={!isWaiting}
          aria-label={t.approvals.choose(`${item.server} / ${item.tool}`)}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
      )}
      <a href={href('approvals', item.id)} aria-current={isOpen ? 'true' : undefined}>
        <span class="mono">
          <Line text={`${item.server} / ${item.tool}`} max={80} />
        </span>
        <span class="faint">
          <Line text={item.client?.name ?? item.caller} max={60} /> · <Ago time={item.created_at} />
        </span>
        {isWaiting ? (
          <span class="time-left" title={t.approvals.left(span(left))}>
            <span style={{ width: `${life > 0 ? (100 * left) / life : 0}%` }} />
            <span class="visually-hidden">{t.approvals.left(span(left))}</span>
          </span>
        ) : (
          <StatusBadge approval={item} />
        )}
      </a>
    </li>
  );
}

export function StatusBadge({ approval }: { readonly approval: Approval }) {
  const tones = { pending: 'asks', approved: 'ok', used: 'ok', denied: 'failed', expired: 'off' } as const;
  return <Badge tone={tones[approval.status]}>{t.approvals.statuses[approval.status]}</Badge>;
}

interface KeyActions {
  readonly approve: (approvals: readonly Approval[], remember?: 'none' | 'session') => Promise<void>;
  readonly deny: (approvals: readonly Approval[]) => void;
}

/**
 * j and k move, a approves once, s for the session, d denies. A key acts on the call that is on the screen when it is pressed: effects run
 * after the screen has changed, so the listener reads what was drawn last.
 */
function useKeys(items: readonly Approval[], selected: Approval | undefined, actions: KeyActions): void {
  const drawn = useRef({ items, selected, actions });
  drawn.current = { items, selected, actions };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isElsewhere =
        event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null;
      if (
        isElsewhere ||
        (event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName))
      )
        return;
      const { items, selected, actions } = drawn.current;
      const at = items.findIndex((item) => item.id === selected?.id);
      const step = { j: 1, k: -1 }[event.key];
      const next = step === undefined ? undefined : items[at + step];
      if (next) go(href('approvals', next.id));
      if (selected?.status !== 'pending' || !mayChange.value) return;
      if (event.key === 'a') void actions.approve([selected]);
      if (event.key === 's' && selected.remember_allowed !== 'never') void actions.approve([selected], 'session');
      if (event.key === 'd') {
        event.preventDefault();
        actions.deny([selected]);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function History({ path }: { readonly path: readonly string[] }) {
  const loaded = useLoaded(() => listAll<Approval>('/v1/approvals'), [decided.value.size]);
  return (
    <LoadedView of={loaded} retry={loaded.refresh}>
      {(all) => {
        const past = all.filter(({ status }) => status !== 'pending').toReversed();
        const open = past.find(({ id }) => id === path[1]);
        if (open) return <ApprovalDetail approval={open} />;
        if (past.length === 0) return <Empty text={t.approvals.noneDecided} />;
        return (
          <div class="scroll">
            <table>
              <thead>
                <tr>
                  <th>{t.approvals.status}</th>
                  <th>{t.tools.tool}</th>
                  <th>{t.approvals.who}</th>
                  <th>{t.approvals.by}</th>
                  <th>{t.approvals.reason}</th>
                  <th>{t.audit.when}</th>
                </tr>
              </thead>
              <tbody>
                {past.map((item) => (
                  <tr key={item.id}>
                    <td>
                      <StatusBadge approval={item} />
                    </td>
                    <td class="mono">
                      <a href={href('approvals', 'decided', item.id)}>
                        <Line text={`${item.server} / ${item.tool}`} max={80} />
                      </a>
                    </td>
                    <td>
                      <Line text={item.client?.name ?? item.caller} max={60} />
                    </td>
                    <td>
                      {item.decided_by === null ? (
                        '–'
                      ) : (
                        <Line text={`${item.decided_by} (${item.decided_via ?? ''})`} />
                      )}
                    </td>
                    <td>
                      <Line text={item.decision_reason ?? ''} max={100} />
                    </td>
                    <td>
                      <Ago time={item.decided_at ?? item.created_at} />
                    </td>
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
