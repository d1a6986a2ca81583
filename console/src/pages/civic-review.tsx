import { useEffect, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { isOwner } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { needsAdmin } from '../data/needs-admin.ts';
import { go, href, route, setQuery, withQuery } from '../data/router.ts';
import { Ago, Badge, Empty, LoadedView } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { BATCH_MAX, Batch, type BatchAct, BatchDialog } from './civic-batch.tsx';
import { ReviewCase } from './civic-case.tsx';
import { type Outcome, Outcomes, type Undone } from './civic-outcomes.tsx';
import { itemLabel, type QueueEntry } from './civic-queue.ts';

/** Reviewers see each other's claims and decisions within this time. */
const REFRESH_MS = 2_000;

/** Items that wait for a maintainer, by class, and the open one. */
export function ReviewQueue({ id }: { readonly id: string | undefined }) {
  const state = route.value.query.get('state') === 'decided' ? 'decided' : 'open';
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const isAllowed = isOwner.value;
  const loaded = useLoaded(
    async () => (isAllowed ? (await api<{ items: QueueEntry[] }>('/api/review', { query: { state } })).items : []),
    [state, isAllowed],
  );
  const { refresh } = loaded;
  useEffect(() => {
    if (!isAllowed) return;
    const timer = setInterval(() => {
      if (!document.hidden) void refresh();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [state, isAllowed]);
  if (!isAllowed) return <Empty text={needsAdmin(t.civic.toReview)} />;
  const decided = (next: readonly Outcome[]) => {
    setOutcomes(next);
    go(href('civic', 'review'));
    return refresh();
  };
  const undone = (queueId: string, how: Undone) => {
    setOutcomes(outcomes.map((one) => (one.item.queue_id === queueId ? { ...one, undone: how } : one)));
    return refresh();
  };
  return (
    <LoadedView of={loaded} retry={refresh}>
      {(items) => (
        <>
          {outcomes.length > 0 && <Outcomes outcomes={outcomes} onUndone={undone} onClose={() => setOutcomes([])} />}
          <Queue
            key={state}
            state={state}
            items={items}
            id={id}
            refresh={refresh}
            onDecided={decided}
            onUndone={undone}
          />
        </>
      )}
    </LoadedView>
  );
}

interface QueueProps {
  readonly state: 'open' | 'decided';
  readonly items: readonly QueueEntry[];
  readonly id: string | undefined;
  readonly refresh: () => Promise<void>;
  readonly onDecided: (outcomes: readonly Outcome[]) => unknown;
  readonly onUndone: (queueId: string, undone: Undone) => unknown;
}

function Queue({ state, items, id, refresh, onDecided, onUndone }: QueueProps) {
  const [only, setOnly] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [act, setAct] = useState<BatchAct>();
  const shown = only === '' ? items : items.filter((item) => item.class === only);
  const several = shown.filter((item) => chosen.has(item.queue_id)).slice(0, BATCH_MAX);
  const open = id ?? shown[0]?.queue_id;
  return (
    <>
      <div class="filters">
        <label>
          <span>{t.civic.show}</span>
          <select value={state} onChange={(event) => setQuery({ state: event.currentTarget.value })}>
            <option value="open">{t.civic.waiting}</option>
            <option value="decided">{t.civic.decided}</option>
          </select>
        </label>
        <Classes items={items} only={only} onChange={setOnly} />
        {state === 'open' && shown.length > 1 && (
          <button type="button" onClick={() => setChosen(new Set(shown.map(({ queue_id }) => queue_id)))}>
            {t.civic.chooseAll(Math.min(shown.length, BATCH_MAX))}
          </button>
        )}
      </div>
      {several.length > 0 && <Batch items={several} onAct={setAct} onChooseNone={() => setChosen(new Set())} />}
      {act && (
        <BatchDialog
          act={act}
          onClose={() => setAct(undefined)}
          onDone={(outcomes) => {
            setChosen(new Set());
            return onDecided(outcomes);
          }}
        />
      )}
      {open === undefined ? (
        <Empty text={state === 'open' ? t.civic.queueEmpty : t.civic.noneDecided} />
      ) : (
        <div class="split">
          <QueueList items={shown} open={open} chosen={chosen} onChoose={state === 'open' ? setChosen : undefined} />
          <ReviewCase
            key={open}
            id={open}
            entry={items.find(({ queue_id }) => queue_id === open)}
            refreshQueue={refresh}
            onDecided={onDecided}
            onUndone={onUndone}
          />
        </div>
      )}
    </>
  );
}

interface ClassesProps {
  readonly items: readonly QueueEntry[];
  readonly only: string;
  readonly onChange: (only: string) => void;
}

function Classes({ items, only, onChange }: ClassesProps) {
  const counts = Map.groupBy(items, (item) => item.class);
  return (
    <div class="segmented wrap" role="group" aria-label={t.civic.classLabel}>
      <button type="button" aria-pressed={only === ''} onClick={() => onChange('')}>
        {t.civic.everyClass} {items.length}
      </button>
      {Object.entries(t.civic.classes).map(([name, label]) => (
        <button key={name} type="button" aria-pressed={only === name} onClick={() => onChange(name)}>
          {label} {counts.get(name as QueueEntry['class'])?.length ?? 0}
        </button>
      ))}
    </div>
  );
}

interface QueueListProps {
  readonly items: readonly QueueEntry[];
  readonly open: string;
  readonly chosen: ReadonlySet<string>;
  /** Absent: these items cannot be decided. */
  readonly onChoose: ((chosen: ReadonlySet<string>) => void) | undefined;
}

function QueueList({ items, open, chosen, onChoose }: QueueListProps) {
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    onChoose?.(next);
  };
  return (
    <ul class="inbox" aria-label={t.civic.tabs.review}>
      {items.map((item) => (
        <li key={item.queue_id} class={item.queue_id === open ? 'open' : ''}>
          {onChoose && (
            <input
              type="checkbox"
              checked={chosen.has(item.queue_id)}
              aria-label={t.approvals.choose(itemLabel(item))}
              onChange={(event) => choose(item.queue_id, event.currentTarget.checked)}
            />
          )}
          <QueueLink item={item} isOpen={item.queue_id === open} />
        </li>
      ))}
    </ul>
  );
}

function QueueLink({ item, isOpen }: { readonly item: QueueEntry; readonly isOpen: boolean }) {
  return (
    <a href={linkOf(item)} aria-current={isOpen ? 'true' : undefined}>
      <span>{t.civic.classes[item.class] ?? item.class}</span>
      <span class="mono">
        <Line text={item.target_id ?? item.submission_id ?? item.queue_id} max={60} />
      </span>
      <span class="faint">
        <Ago time={item.opened_at} />
        {item.claimed_by !== undefined && (
          <>
            {' · '}
            <Line text={t.civic.claimedBy(item.claimed_by)} max={60} />
          </>
        )}
      </span>
      {item.decision !== undefined && <Badge tone="off">{item.decision}</Badge>}
    </a>
  );
}

function linkOf({ queue_id, decided_at }: QueueEntry): string {
  return withQuery(href('civic', 'review', queue_id), { state: decided_at === undefined ? undefined : 'decided' });
}
