import { drawnAs, useSettled } from '../data/settled.ts';
import type { Approval } from '../data/types.ts';
import { ActionButton } from '../parts/basics.tsx';
import { Caller } from '../parts/caller.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { StatusBadge } from './approval-detail.tsx';
import { decide } from './decide.ts';
import { DecidedBy } from './decided-by.tsx';
import { sessionScope } from './session-scope.ts';
import { useStillWaiting } from './still-waiting.ts';

interface SessionDialogProps {
  readonly approvals: readonly Approval[];
  readonly onClose: () => void;
}

/** Allowing a tool for the session also allows calls that no person has seen, so the dialog says so and asks once more. */
export function SessionDialog({ approvals, onClose }: SessionDialogProps) {
  const { shown, waiting } = useStillWaiting(approvals);
  const isSettled = useSettled(drawnAs(shown));
  const allow = async () => {
    for (const approval of waiting) await decide(approval, 'approve', { remember: 'session' });
    onClose();
  };
  return (
    <Dialog title={t.approvals.sessionTitle} onClose={onClose}>
      {shown.map((approval) => (
        <section key={approval.id}>
          <p>
            <strong>
              <Line text={sessionScope(approval)} max={300} isEscaped />
            </strong>
          </p>
          <p>
            {t.approvals.who}: <Caller {...approval} isEscaped />
          </p>
          <p>{t.approvals.sessionMeans}</p>
          {approval.status !== 'pending' && (
            <p role="status">
              <StatusBadge approval={approval} /> <DecidedBy approval={approval} />
            </p>
          )}
        </section>
      ))}
      <div class="actions">
        <ActionButton
          kind="primary"
          label={t.approvals.sessionAllow}
          busyLabel={t.approvals.approving}
          disabled={!isSettled || waiting.length === 0}
          run={allow}
        />
        <button type="button" onClick={onClose}>
          {waiting.length === 0 ? t.common.close : t.common.cancel}
        </button>
      </div>
    </Dialog>
  );
}
