import { href, withQuery } from '../data/router.ts';
import type { Server } from '../data/types.ts';
import { Line } from '../parts/shown.tsx';
import { t } from '../texts.ts';

interface LastErrorProps {
  readonly server: Server;
  /** Calls that failed in the time that is shown. */
  readonly failed: number;
  readonly since: string;
}

/** What went wrong with its connection; where that is well and calls failed, the way to those. */
export function LastError({ server, failed, since }: LastErrorProps) {
  const text = server.last_error ?? server.reason;
  if (text !== null && text !== '') return <Line text={text} max={80} />;
  if (failed === 0) return null;
  return (
    <a href={withQuery(href('audit'), { kind: 'call', server: server.id, since, outcome: 'failed' })}>
      {t.servers.failedCalls(failed)}
    </a>
  );
}
