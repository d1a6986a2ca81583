import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { lostSince } from '../data/events.ts';
import { span } from '../data/format.ts';
import { decided, leftApprovals, mayChange, now, pending, waiting } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { argumentsLine } from '../data/one-line.ts';
import { go, href, replace } from '../data/router.ts';
import { drawnAs, useSettled } from '../data/settled.ts';
import type { Approval } from '../data/types.ts';
import { Ago, Empty, Failure, LoadedView, Skeleton } from '../parts/basics.tsx';
import { Caller } from '../parts/caller.tsx';
import { Line, plain } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { ApprovalDetail, StatusBadge } from './approval-detail.tsx';
import { ApproveDialog } from './approve-dialog.tsx';
import { decide } from './decide.ts';
import { DenyDialog } from './deny-dialog.tsx';
import { useHeldPageDown } from './read-bar.tsx';
import { useReading } from './reading.ts';
import { SessionDialog } from './session-dialog.tsx';

export function Inbox({ id }: { readonly id: string | undefined }) {
  return (
    <LoadedView of={pending.state.value} retry={() => void pending.refresh()}>
      {() => <InboxOf id={id} />}
    </LoadedView>
  );
}

const oldestFirst = (a: Approval, b: Approval) => (a.created_at < b.created_at ? -1 : 1);

/** Waiting approvals, oldest first, and those decided a moment ago, each in its place. */
function inboxItems(): Approval[] {
  const ids = new Set(waiting.value.map(({ id }) => id));
  const done = [...decided.value.values()].filter(({ id }) => !ids.has(id));
  return [...waiting.value, ...done].sort(oldestFirst);
}

const DIALOGS = { approve: ApproveDialog, deny: DenyDialog, session: SessionDialog };

/** How often the page asks whether clients still wait. */
const AGAIN_MS = 10_000;

function useAskedAgain(): void {
  useEffect(() => {
    void leftApprovals.refresh();
    const timer = setInterval(() => {
      if (lostSince.value === undefined && !document.hidden) void leftApprovals.refresh();
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
}

function InboxOf({ id }: { readonly id: string | undefined }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [over, setOver] = useState<{ readonly does: keyof typeof DIALOGS; readonly approvals: readonly Approval[] }>();
  useAskedAgain();
  const items = inboxItems();
  const openId = id ?? items.find(({ status }) => status === 'pending')?.id;
  // The open approval has an address from the start, so that only the person opens another one.
  useLayoutEffect(() => {
    if (id === undefined && openId !== undefined) replace(href('approvals', openId));
  }, [id, openId]);
  const { open, isWaiting, error } = useOpen(openId, items);
  const list = open && !items.some((item) => item.id === open.id) ? [...items, open].sort(oldestFirst) : items;
  const reading = useReading(openId);
  const isRead = open !== undefined && reading.isRead(open);
  const readOn = async () => open && reading.readOn(open);
  useHeldPageDown(open && !over && !isRead && reading.isUnfolded(open) ? () => void readOn() : undefined);
  const allow = (approval: Approval) => setOver({ does: 'session', approvals: [approval] });
  const isSettled = useSettled(open ? `${drawnAs([open])} ${isRead}` : '');
  const { approve, deciding, refused } = useApprove();
  const mayDecide = isWaiting && isSettled && mayChange.value && deciding !== openId;
  useKeys({
    list,
    open,
    mayDecide,
    isRead,
    readOn,
    approve,
    allow,
    deny: (approval) => setOver({ does: 'deny', approvals: [approval] }),
  });
  const several = items.filter((item) => chosen.has(item.id) && item.status === 'pending');
  const choose = (item: Approval, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(item.id);
    else next.delete(item.id);
    setChosen(next);
  };
  if (openId === undefined) return <NothingWaits />;
  const next = nextWaiting(list, openId);
  const Over = over && DIALOGS[over.does];
  return (
    <>
      {several.length > 1 && mayChange.value && (
        <div class="actions bar">
          <span>{t.approvals.chosen(several.length)}</span>
          <button type="button" class="primary" onClick={() => setOver({ does: 'approve', approvals: several })}>
            {t.approvals.approveMore(several.length)}
          </button>
          <button type="button" class="danger" onClick={() => setOver({ does: 'deny', approvals: several })}>
            {t.approvals.denyAll(several.length)}
          </button>
        </div>
      )}
      <div class="split">
        <ul class="inbox" aria-label={t.approvals.waiting}>
          {list.map((item) => (
            <InboxItem
              key={item.id}
              item={item}
              isOpen={item.id === openId}
              isChosen={chosen.has(item.id)}
              onChoose={(isChosen) => choose(item, isChosen)}
            />
          ))}
        </ul>
        <div>
          {refused?.id === openId && <Failure error={refused.error} />}
          {error !== undefined && <Failure error={error} />}
          {open && (
            <ApprovalDetail
              key={open.id}
              approval={open}
              reading={reading}
              {...(isWaiting
                ? {
                    decision: {
                      isReady: mayDecide,
                      isRead,
                      readOn,
                      isBusy: deciding === open.id,
                      approve: () => approve(open),
                      allow: () => allow(open),
                      deny: () => setOver({ does: 'deny', approvals: [open] }),
                    },
                  }
                : { next: { link: next && href('approvals', next.id), isReady: isSettled } })}
            />
          )}
          {!open && error === undefined && <Skeleton />}
        </div>
      </div>
      {over && Over && <Over approvals={over.approvals} onClose={() => setOver(undefined)} />}
    </>
  );
}

function NothingWaits() {
  return (
    <Empty text={t.approvals.none}>
      <p class="faint">{t.approvals.noneNext}</p>
      <a class="button" href={href('policy')}>
        {t.approvals.toPolicy}
      </a>
    </Empty>
  );
}

interface Opened {
  readonly open: Approval | undefined;
  /** It is in the list of waiting approvals, so it can be decided. */
  readonly isWaiting: boolean;
  readonly error: unknown;
}

/** Exactly the approval with this id: from the list, or from the gateway, or as last seen. */
function useOpen(id: string | undefined, items: readonly Approval[]): Opened {
  const seen = useRef<Approval | undefined>(undefined);
  const listed = items.find((item) => item.id === id);
  const isListed = listed !== undefined;
  const asked = useLoaded<Approval | undefined>(
    () =>
      id === undefined || isListed
        ? Promise.resolve(undefined)
        : api<Approval>(`/v1/approvals/${encodeURIComponent(id)}`),
    [id, isListed],
  );
  const open = listed ?? asked.value ?? (seen.current?.id === id ? seen.current : undefined);
  seen.current = open;
  return { open, isWaiting: listed?.status === 'pending', error: asked.error };
}

/** The next waiting approval after this one in the list, or the first. */
function nextWaiting(list: readonly Approval[], id: string): Approval | undefined {
  const at = list.findIndex((item) => item.id === id);
  return [...list.slice(at + 1), ...list.slice(0, Math.max(at, 0))].find(({ status }) => status === 'pending');
}

type Approve = (approval: Approval) => Promise<void>;

/** One decision at a time; a refusal of the server is shown at its approval. */
function useApprove() {
  const [deciding, setDeciding] = useState<string>();
  const [refused, setRefused] = useState<{ readonly id: string; readonly error: unknown }>();
  const running = useRef(false);
  const approve: Approve = async (approval) => {
    if (running.current) return;
    running.current = true;
    setDeciding(approval.id);
    setRefused(undefined);
    try {
      await decide(approval, 'approve');
    } catch (error) {
      setRefused({ id: approval.id, error });
    }
    running.current = false;
    setDeciding(undefined);
  };
  return { approve, deciding, refused };
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
          aria-label={t.approvals.choose(plain(`${item.server} / ${item.tool}`))}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
      )}
      <a href={href('approvals', item.id)} aria-current={isOpen ? 'true' : undefined}>
        <span class="inbox-head">
          <span class="mono">
            <Line text={`${item.server} / ${item.tool}`} max={80} />
          </span>
          <span class="faint nowrap">
            {isWaiting ? (
              <time dateTime={item.created_at}>{t.approvals.waits(span(now.value - Date.parse(item.created_at)))}</time>
            ) : (
              <Ago time={item.created_at} />
            )}
          </span>
        </span>
        <span class="mono inbox-arguments">
          <Line text={argumentsLine(item)} max={120} isEscaped />
        </span>
        <span class="faint">
          <Caller {...item} isEscaped />
        </span>
        {isWaiting && leftApprovals.value?.has(item.id) && <span class="faint">{t.approvals.nobodyWaits}</span>}
        {isWaiting ? (
          <>
            <span class="faint">{t.approvals.left(span(left))}</span>
            <span class="time-left">
              <span style={{ width: `${life > 0 ? (100 * left) / life : 0}%` }} />
            </span>
          </>
        ) : (
          <StatusBadge approval={item} />
        )}
      </a>
    </li>
  );
}

interface Keyed {
  readonly list: readonly Approval[];
  readonly open: Approval | undefined;
  readonly mayDecide: boolean;
  readonly isRead: boolean;
  readonly readOn: () => Promise<void>;
  readonly approve: Approve;
  readonly allow: (approval: Approval) => void;
  readonly deny: (approval: Approval) => void;
}

/**
 * j and k move, a approves once, s asks about the session, d denies. A key acts on the call that was drawn last, once it has been
 * visible for a moment; holding a key does not repeat it. Folded, cut or hidden parts are shown first.
 */
function useKeys(keyed: Keyed): void {
  const drawn = useRef(keyed);
  drawn.current = keyed;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isElsewhere =
        event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null;
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.repeat || isElsewhere || isTyping) return;
      const { list, open, mayDecide, isRead, readOn, approve, allow, deny } = drawn.current;
      const moved = movedTo(event.key, list, open);
      if (moved) go(href('approvals', moved.id));
      if (!open || !mayDecide) return;
      const isHere = open.surfaces.includes('console');
      if (event.key === 'a' && isHere) void (isRead ? approve(open) : readOn());
      if (event.key === 's' && isHere && open.remember_allowed !== 'never') {
        event.preventDefault();
        if (isRead) allow(open);
        else void readOn();
      }
      if (event.key === 'd') {
        event.preventDefault();
        deny(open);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** From a decided approval, j goes to a waiting one. */
function movedTo(key: string, list: readonly Approval[], open: Approval | undefined): Approval | undefined {
  const at = list.findIndex(({ id }) => id === open?.id);
  if (key === 'k') return list[at - 1];
  if (key !== 'j') return undefined;
  return open && open.status !== 'pending' ? nextWaiting(list, open.id) : list[at + 1];
}
