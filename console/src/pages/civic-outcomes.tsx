import { api } from '../data/api.ts';
import { href } from '../data/router.ts';
import { ActionButton, Badge } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { decisionLabel, itemLabel, type QueueEntry } from './civic-queue.ts';

/** The effect of an undone decision: the item waits again, or its merge is reverted. */
export type Undone = 'reopened' | 'reverted';

/** The outcome of one item that was decided here. */
export interface Outcome {
  readonly item: QueueEntry;
  readonly decision?: string;
  /** Why it was refused. */
  readonly code?: string;
  readonly detail?: string;
  readonly undone?: Undone;
}

interface OutcomesProps {
  readonly outcomes: readonly Outcome[];
  readonly onUndone: (queueId: string, undone: Undone) => unknown;
  readonly onClose: () => void;
}

/** The last decision, item by item; each can be undone here. */
export function Outcomes({ outcomes, onUndone, onClose }: OutcomesProps) {
  return (
    <section class="bar outcomes" aria-label={t.civic.outcomes}>
      <ul class="moments" aria-live="polite">
        {outcomes.map(({ item, decision, code, detail, undone }) => (
          <li key={item.queue_id}>
            {undone !== undefined ? (
              <Badge tone="off">{t.civic.undone[undone]}</Badge>
            ) : decision !== undefined ? (
              <Badge tone="ok">{t.civic.decidedAs(decisionLabel(decision))}</Badge>
            ) : (
              <Badge tone="failed">{t.civic.refused}</Badge>
            )}
            <a class="mono" href={href('civic', 'review', item.queue_id)}>
              <Line text={itemLabel(item)} max={80} />
            </a>
            {code !== undefined && (
              <span>
                <code>{code}</code> <Line text={detail ?? ''} max={200} />
              </span>
            )}
            {decision !== undefined && undone === undefined && (
              <UndoButton queueId={item.queue_id} onUndone={(how) => onUndone(item.queue_id, how)} />
            )}
          </li>
        ))}
      </ul>
      <button type="button" onClick={onClose}>
        {t.common.close}
      </button>
    </section>
  );
}

interface UndoProps {
  readonly queueId: string;
  readonly onUndone: (undone: Undone) => unknown;
}

/** Undoes a decision; the gateway reports if it cannot. */
export function UndoButton({ queueId, onUndone }: UndoProps) {
  const undo = async () => {
    const path = `/api/review/${encodeURIComponent(queueId)}/undo`;
    await onUndone((await api<{ outcome: Undone }>(path, { method: 'POST', body: {} })).outcome);
  };
  return <ActionButton label={t.civic.undo} busyLabel={t.civic.undoing} run={undo} />;
}
