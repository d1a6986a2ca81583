import { useState } from 'preact/hooks';
import type { Approval } from '../data/types.ts';
import { ActionButton } from '../parts/basics.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';
import { decide } from './decide.ts';

interface DenyDialogProps {
  readonly approvals: readonly Approval[];
  readonly onClose: () => void;
}

/** A no with its reason, which the caller and the record get. */
export function DenyDialog({ approvals, onClose }: DenyDialogProps) {
  const [reason, setReason] = useState('');
  const deny = async () => {
    for (const approval of approvals) await decide(approval, 'deny', { reason });
    onClose();
  };
  return (
    <Dialog title={t.approvals.denyTitle(approvals.length)} onClose={onClose}>
      <ul class="mono">
        {approvals.map(({ id, server, tool }) => (
          <li key={id}>
            <Line text={`${server} / ${tool}`} max={80} />
          </li>
        ))}
      </ul>
      <label>
        {t.approvals.denyReason}
        <textarea
          rows={3}
          maxLength={500}
          value={reason}
          autoFocus
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <div class="actions">
        <ActionButton kind="danger" label={t.approvals.deny} busyLabel={t.approvals.denying} run={deny} />
        <button type="button" onClick={onClose}>
          {t.common.cancel}
        </button>
      </div>
    </Dialog>
  );
}
