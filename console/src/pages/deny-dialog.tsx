import { useRef, useState } from 'preact/hooks';
import type { Approval } from '../data/types.ts';
import { ActionButton, Failure } from '../parts/basics.tsx';
import { Caller } from '../parts/caller.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { Arguments, StatusBadge } from './approval-detail.tsx';
import { decide } from './decide.ts';
import { DecidedBy } from './decided-by.tsx';
import { useReading } from './reading.ts';
import { useStillWaiting } from './still-waiting.ts';

interface DenyDialogProps {
  readonly approvals: readonly Approval[];
  readonly onClose: () => void;
}

/** A no with its reason, which the caller and the record get. */
export function DenyDialog({ approvals, onClose }: DenyDialogProps) {
  const [reason, setReason] = useState('');
  const reading = useReading();
  const { shown, waiting } = useStillWaiting(approvals);
  const [error, setError] = useState<unknown>();
  const running = useRef(false);
  const deny = async () => {
    if (running.current || waiting.length === 0) return;
    running.current = true;
    setError(undefined);
    try {
      for (const approval of waiting) await decide(approval, 'deny', { reason });
      onClose();
    } catch (thrown) {
      setError(thrown);
    }
    running.current = false;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat) void deny();
  };
  return (
    <Dialog title={t.approvals.denyTitle(approvals.length)} onClose={onClose} className="wide deny">
      {shown.map((approval) => (
        <section key={approval.id}>
          <h3 class="mono">
            <Line text={`${approval.server} / ${approval.tool}`} max={120} />{' '}
            {approval.status !== 'pending' && <StatusBadge approval={approval} />}
          </h3>
          <p class="faint">
            <Caller {...approval} isEscaped />
          </p>
          {approval.decided_at !== null && (
            <p role="status">
              <DecidedBy approval={approval} />
            </p>
          )}
          <Arguments approval={approval} reading={reading} />
        </section>
      ))}
      <div class="decision">
        <label>
          {t.approvals.denyReason}
          <textarea
            rows={2}
            maxLength={500}
            value={reason}
            autoFocus
            onInput={(event) => setReason(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <small class="faint keys-hint">{t.approvals.denyKeys}</small>
        </label>
        {error !== undefined && <Failure error={error} />}
        <div class="actions">
          <ActionButton
            kind="danger"
            label={t.approvals.denyCalls(waiting.length)}
            busyLabel={t.approvals.denying}
            disabled={waiting.length === 0}
            run={deny}
          />
          <button type="button" onClick={onClose}>
            {waiting.length === 0 ? t.common.close : t.common.cancel}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
