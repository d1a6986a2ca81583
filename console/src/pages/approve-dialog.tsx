import { useRef } from 'preact/hooks';
import { decided, pending } from '../data/live.ts';
import { drawnAs, useSettled } from '../data/settled.ts';
import type { Approval } from '../data/types.ts';
import { ActionButton } from '../parts/basics.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { Arguments, StatusBadge } from './approval-detail.tsx';
import { decide } from './decide.ts';
import { useReading } from './reading.ts';

interface ApproveDialogProps {
  /** As they were when the dialog was opened: it approves these and no others. */
  readonly approvals: readonly Approval[];
  readonly onClose: () => void;
}

/** Every call with its arguments, and the button behind the last of them; it works once all of them are open. */
export function ApproveDialog({ approvals, onClose }: ApproveDialogProps) {
  // What was decided meanwhile is told for a moment only, and stays here.
  const done = useRef(new Map<string, Approval>()).current;
  for (const { id } of approvals) {
    const now = decided.value.get(id);
    if (now) done.set(id, now);
  }
  const shown = approvals.map((approval) => done.get(approval.id) ?? approval);
  const ids = new Set((pending.value ?? []).map(({ id }) => id));
  const waiting = shown.filter(({ id, surfaces }) => ids.has(id) && surfaces.includes('console'));
  const reading = useReading();
  const unread = waiting.filter((approval) => !reading.isRead(approval));
  const isSettled = useSettled(`${drawnAs(shown)} ${unread.length}`);
  const readAll = async () => {
    for (const approval of unread) await reading.readAll(approval);
  };
  const approve = async () => {
    for (const approval of waiting) await decide(approval, 'approve');
    onClose();
  };
  return (
    <Dialog title={t.approvals.approveTitle(approvals.length)} onClose={onClose} className="wide">
      {shown.map((approval) => (
        <section key={approval.id}>
          <h3 class="mono">
            <Line text={`${approval.server} / ${approval.tool}`} max={120} /> <StatusBadge approval={approval} />
          </h3>
          <p class="faint">
            <Line text={approval.client?.name ?? approval.caller} max={80} />
            {!approval.surfaces.includes('console') && ` · ${t.approvals.elsewhere(approval.surfaces.join(', '))}`}
          </p>
          <Arguments approval={approval} reading={reading} />
        </section>
      ))}
      <div class="actions">
        {unread.length > 0 ? (
          <ActionButton key="show" label={t.approvals.showFirst} busyLabel={t.approvals.showingAll} run={readAll} />
        ) : (
          <ActionButton
            key="approve"
            kind="primary"
            label={t.approvals.approveAll(waiting.length)}
            busyLabel={t.approvals.approving}
            disabled={!isSettled || waiting.length === 0}
            run={approve}
          />
        )}
        <button type="button" onClick={onClose}>
          {t.common.cancel}
        </button>
      </div>
    </Dialog>
  );
}
