import { api } from '../data/api.ts';
import { useLoaded } from '../data/loaded.ts';
import { outcomeOf } from '../data/outcomes.ts';
import { href, withQuery } from '../data/router.ts';
import type { Call, Server } from '../data/types.ts';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface LastErrorProps {
  readonly server: Server;
  /** Failed calls in the shown range. */
  readonly failed: number;
  readonly since: string;
}

/** The error of the connection. If the connection is healthy but calls failed: the last failed call, and a link to all. */
export function LastError({ server, failed, since }: LastErrorProps) {
  const text = server.last_error ?? server.reason;
  if (text !== null && text !== '') return <Line text={text} max={80} />;
  return failed === 0 ? null : <LastFailedCall id={server.id} failed={failed} since={since} />;
}

/** Records have no error text, so this shows the outcome and the tool. */
function LastFailedCall({
  id,
  failed,
  since,
}: {
  readonly id: string;
  readonly failed: number;
  readonly since: string;
}) {
  const asked = { kind: 'call', server: id, since, outcome: 'failed' };
  const last = useLoaded(() => api<{ items: Call[] }>('/v1/audit', { query: { ...asked, limit: 1 } }), [id, failed])
    .value?.items[0];
  const told = last && t.servers.lastCallError((outcomeOf(last) ?? '').replaceAll('_', ' '), last.tool ?? '');
  return (
    <>
      {told !== undefined && <Line text={told} max={60} />}{' '}
      <a href={withQuery(href('audit'), asked)}>{t.servers.failedCalls(failed)}</a>
    </>
  );
}
