import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { mayChange } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { go, href, route, setQuery } from '../data/router.ts';
import { Ago, Badge, Empty, LoadedView } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { ReviewCase } from './civic-case.tsx';

export interface QueueEntry {
  readonly queue_id: string;
  readonly class: keyof typeof t.civic.classes;
  readonly opened_at: string;
  readonly reason?: string;
  readonly target_type?: string;
  readonly target_id?: string;
  readonly submission_id?: string;
  readonly rules?: readonly string[];
  readonly claimed_by?: string;
  readonly decided_at?: string;
  readonly decision?: string;
}

/** What waits for a maintainer, by class, and the one that is open. */
export function ReviewQueue({ id }: { readonly id: string | undefined }) {
  const state = route.value.query.get('state') === 'decided' ? 'decided' : 'open';
  const [only, setOnly] = useState('');
  const loaded = useLoaded(
    () => api<{ items: QueueEntry[] }>('/api/review', { query: { state } }),
    [state, mayChange.value],
  );
  if (!mayChange.value) return <Empty text={t.civic.reviewNeedsSignIn} />;
  return (
    <LoadedView of={loaded} retry={loaded.refresh}>
      {({ items }) => {
        const shown = only === '' ? items : items.filter((item) => item.class === only);
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
            </div>
            {open === undefined ? (
              <Empty text={state === 'open' ? t.civic.queueEmpty : t.civic.noneDecided} />
            ) : (
              <div class="split">
                <QueueList items={shown} open={open} />
                <ReviewCase
                  key={open}
                  id={open}
                  onDecided={() => {
                    go(href('civic', 'review'));
                    void loaded.refresh();
                  }}
                />
              </div>
            )}
          </>
        );
      }}
    </LoadedView>
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

function QueueList({ items, open }: { readonly items: readonly QueueEntry[]; readonly open: string }) {
  return (
    <ul class="inbox" aria-label={t.civic.tabs.review}>
      {items.map((item) => (
        <li key={item.queue_id} class={item.queue_id === open ? 'open' : ''}>
          <a href={href('civic', 'review', item.queue_id)} aria-current={item.queue_id === open ? 'true' : undefined}>
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
        </li>
      ))}
    </ul>
  );
}
