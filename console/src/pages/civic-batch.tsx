import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { reviewer } from '../data/reviewer.ts';
import { ActionButton } from '../parts/basics.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import type { Outcome } from './civic-outcomes.tsx';
import { DECISIONS, decisionLabel, itemLabel, type QueueEntry } from './civic-queue.ts';

/** Items that one request decides. */
export const BATCH_MAX = 100;

/** One decision on the chosen items; the result reports items that others decided meanwhile. */
export interface BatchAct {
  readonly decision: string;
  readonly items: readonly QueueEntry[];
}

interface BatchProps {
  readonly items: readonly QueueEntry[];
  readonly onAct: (act: BatchAct) => void;
  readonly onChooseNone: () => void;
}

/** Decides several items at once; offers only decisions that all of them allow. */
export function Batch({ items, onAct, onChooseNone }: BatchProps) {
  const [first = [], ...others] = items.map((item) => DECISIONS[item.class] ?? []);
  const common = first.filter((one) => others.every((possible) => possible.includes(one)));
  return (
    <div class="actions bar">
      <span>{t.approvals.chosen(items.length)}</span>
      {common.map((decision) => (
        <button key={decision} type="button" onClick={() => onAct({ decision, items })}>
          {t.civic.decideMany(decisionLabel(decision), items.length)}
        </button>
      ))}
      {common.length === 0 && <span class="faint">{t.civic.nothingInCommon}</span>}
      <button type="button" class="quiet" onClick={onChooseNone}>
        {t.civic.chooseNone}
      </button>
    </div>
  );
}

interface BatchDialogProps {
  readonly act: BatchAct;
  readonly onDone: (outcomes: readonly Outcome[]) => unknown;
  readonly onClose: () => void;
}

type Result = Omit<Outcome, 'item'> & { readonly queue_id: string };

export function BatchDialog({ act: { decision, items }, onDone, onClose }: BatchDialogProps) {
  const [reason, setReason] = useState('');
  const [note, setNote] = useState('');
  const decide = async () => {
    const words = { ...(note === '' ? {} : { note }), ...(reason === '' ? {} : { reason }) };
    const by = reviewer.value === '' ? {} : { by: reviewer.value };
    const body = { decision, queue_ids: items.map(({ queue_id }) => queue_id), ...by, ...words };
    const { results } = await api<{ results: Result[] }>('/api/review/decide', { method: 'POST', body });
    const byId = new Map(results.map((result) => [result.queue_id, result]));
    onClose();
    await onDone(items.map((item) => ({ ...byId.get(item.queue_id), item })));
  };
  const label = t.civic.decideMany(decisionLabel(decision), items.length);
  return (
    <Dialog title={label} onClose={onClose}>
      <ul class="mono listed">
        {items.map((item) => (
          <li key={item.queue_id}>
            <Line text={itemLabel(item)} max={80} />
          </li>
        ))}
      </ul>
      <label>
        {t.civic.reasonForSenders}
        <textarea
          rows={3}
          maxLength={500}
          value={reason}
          autoFocus
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <label>
        {t.civic.note}
        <input value={note} maxLength={500} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <div class="actions">
        <ActionButton kind="primary" label={label} busyLabel={t.civic.deciding} run={decide} />
        <button type="button" onClick={onClose}>
          {t.common.cancel}
        </button>
      </div>
    </Dialog>
  );
}
