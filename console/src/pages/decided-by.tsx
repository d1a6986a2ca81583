import type { Approval } from '../data/types.ts';
import { Ago } from '../parts/basics.tsx';
import { Line, Shown } from '../parts/shown.tsx';
import { t } from '../texts.ts';

/** Who decided, where and when, for how long, and why. */
export function DecidedBy({ approval }: { readonly approval: Approval }) {
  const { decided_at, decided_by, decided_via, decision_reason, remember } = approval;
  if (decided_at === null) return null;
  return (
    <>
      <Line text={t.approvals.decidedBy(decided_by ?? '', decided_via ?? '')} /> <Ago time={decided_at} />
      {remember !== 'none' && `, ${t.approvals.remembered[remember]}`}
      {decision_reason !== null && (
        <>
          {': '}
          <Shown text={decision_reason} fold={500} />
        </>
      )}
    </>
  );
}
