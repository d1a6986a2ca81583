import { useEffect } from 'preact/hooks';
import { api } from '../data/api.ts';
import { followCalls } from '../data/events.ts';
import { span } from '../data/format.ts';
import { now, tail } from '../data/live.ts';
import { useLoaded } from '../data/loaded.ts';
import { outcomeOf } from '../data/outcomes.ts';
import { href } from '../data/router.ts';
import type { Approval, Call } from '../data/types.ts';
import { OutcomeBadge } from '../parts/basics.tsx';
import { t } from '../texts.ts';

/** The effect of an approval: the call that used it, or a note that the client must call again. */
export function AfterApproval({ approval }: { readonly approval: Approval }) {
  const { id, call_id, arguments_sha256, server, tool } = approval;
  const loaded = useLoaded(async () => {
    const { items } = await api<{ items: Call[] }>('/v1/audit', { query: { kind: 'call', server, tool, limit: 100 } });
    const own = items.filter((call) => call.arguments_sha256 === arguments_sha256);
    return {
      ran: own.find((call) => call.approval_id === id && outcomeOf(call) !== 'undecided'),
      hasLeft: own.some((call) => call.call_id === call_id && outcomeOf(call) === 'undecided'),
    };
  }, [id]);
  const { ran, hasLeft } = loaded.value ?? {};
  useEffect(followCalls, []);
  useEffect(() => {
    if (ran?.outcome === undefined) void loaded.refresh();
  }, [tail.value]);
  const left = Date.parse(approval.expires_at) - now.value;
  return (
    <p role="status">
      {ran && (
        <>
          {t.approvals.ran} <OutcomeBadge call={ran} />{' '}
          <a href={href('audit', 'call', ran.call_id)}>{t.approvals.seeCall}</a>
        </>
      )}
      {!ran && hasLeft && (left > 0 ? t.approvals.clientLeft(span(left)) : t.approvals.notUsed)}
    </p>
  );
}
