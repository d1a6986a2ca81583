import { span } from '../data/format.ts';
import type { Approval } from '../data/types.ts';
import { plain } from '../parts/shown.tsx';
import { t } from '../texts.ts';

/** How long the gateway remembers an approval for a session. */
const SESSION_MS = 8 * 60 * 60_000;

/** What an approval for the session covers, in one sentence; hidden characters in the name of the client are escapes. */
export function sessionScope({ server, tool, session, client }: Approval): string {
  const name = plain(`${server}/${tool}`);
  return session === null
    ? t.approvals.sessionOfClient(name, client?.name ?? '', span(SESSION_MS))
    : t.approvals.sessionScope(name, span(SESSION_MS));
}
