import { drawnAs, useSettled } from '../data/settled.ts';
import type { Approval } from '../data/types.ts';
import { ActionButton } from '../parts/basics.tsx';
import { Caller } from '../parts/caller.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { Arguments, StatusBadge } from './approval-detail.tsx';
import { decide } from './decide.ts';
import { DecidedBy } from './decided-by.tsx';
import { ReadBar, useHeldPageDown } from './read-bar.tsx';
import { argumentsKey, type Reading, useReading } from './reading.ts';
import { useStillWaiting } from './still-waiting.ts';

interface ApproveDialogProps {
  /** The approvals at the time when the dialog opened: it approves only these. */
  readonly approvals: readonly Approval[];
  readonly onClose: () => void;
}

/** Every call with its arguments, and the button after the last one; it works once all of them have been on the screen. */
export function ApproveDialog({ approvals, onClose }: ApproveDialogProps) {
  const { shown, waiting: open } = useStillWaiting(approvals);
  const waiting = open.filter(({ surfaces }) => surfaces.includes('console'));
  const reading = useReading();
  const unread = waiting.filter((approval) => !reading.isRead(approval));
  const isSettled = useSettled(`${drawnAs(shown)} ${unread.length}`);
  const folded = unread.filter((approval) => !reading.isUnfolded(approval));
  const [first] = unread;
  const readOn = async () => {
    for (const approval of folded) await reading.readAll(approval);
    if (folded.length === 0 && first) await reading.readOn(first);
  };
  useHeldPageDown(first && folded.length === 0 ? () => void reading.readOn(first) : undefined);
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
            <Caller {...approval} isEscaped />
            {!approval.surfaces.includes('console') && ` · ${t.approvals.elsewhere(approval.surfaces.join(', '))}`}
          </p>
          {approval.decided_at !== null && (
            <p role="status">
              <DecidedBy approval={approval} />
            </p>
          )}
          <Arguments approval={approval} reading={reading} />
        </section>
      ))}
      <div class="actions decision">
        {first ? (
          <ReadOnButton approval={first} reading={reading} isFolded={folded.length > 0} run={readOn} />
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
        {first && folded.length === 0 && <ReadBar lines={reading.lines} of={waiting.map(argumentsKey)} />}
      </div>
    </Dialog>
  );
}

interface ReadOnButtonProps {
  readonly approval: Approval;
  readonly reading: Reading;
  readonly isFolded: boolean;
  readonly run: () => Promise<void>;
}

function ReadOnButton({ isFolded, run, approval, reading }: ReadOnButtonProps) {
  return (
    <ActionButton
      key="show"
      label={isFolded ? t.approvals.showFirst : t.approvals.readOn(reading.lines.left(argumentsKey(approval)))}
      busyLabel={t.approvals.showingAll}
      run={run}
    />
  );
}
