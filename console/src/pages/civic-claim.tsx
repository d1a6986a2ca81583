import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { clock } from '../data/format.ts';
import { keepReviewer, reviewer } from '../data/reviewer.ts';
import { ActionButton, Badge } from '../parts/basics.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import type { QueueEntry } from './civic-queue.ts';

const NAME_MAX = 64;

interface ClaimProps {
  readonly item: QueueEntry;
  readonly onChange: () => unknown;
}

/** The claim on an item: a reviewer claims it, releases it, or takes it over from another. */
export function Claim({ item: { queue_id, claimed_by, claimed_until }, onChange }: ClaimProps) {
  const [name, setName] = useState(reviewer.value);
  const by = name.trim();
  const isMine = claimed_by !== undefined && claimed_by === reviewer.value;
  const send = async (more: { take?: true; release?: true }) => {
    const path = `/api/review/${encodeURIComponent(queue_id)}/claim`;
    await api(path, { method: 'POST', body: { by: isMine ? claimed_by : by, ...more } });
    if (!isMine) keepReviewer(by);
    await onChange();
  };
  const until = claimed_until === undefined ? '' : clock(claimed_until).slice(0, 5);
  if (isMine) {
    return (
      <div class="actions claim">
        <Badge tone="ok">{t.civic.claimedByYou(until)}</Badge>
        <ActionButton label={t.civic.giveBack} run={() => send({ release: true })} />
      </div>
    );
  }
  return (
    <div class="actions claim">
      {claimed_by !== undefined && (
        <Badge tone="warning">
          <Line text={t.civic.claimedUntil(claimed_by, until)} max={100} />
        </Badge>
      )}
      <label class="inline">
        {t.civic.yourName}
        <input value={name} maxLength={NAME_MAX} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <ActionButton
        label={claimed_by === undefined ? t.civic.claim : t.civic.takeOver}
        disabled={by === ''}
        run={() => send(claimed_by === undefined ? {} : { take: true })}
      />
    </div>
  );
}
