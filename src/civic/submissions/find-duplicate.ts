import { BinderyError } from '../../contract/errors.ts';
import type { DayItem } from './civic-store.ts';
import type { Desk } from './desk.ts';

/** The id of an earlier submission of the same item; the same id with other content is a conflict [SU20]. */
export function findDuplicate(
  { store }: Desk,
  submissionId: string | undefined,
  sessionId: string,
  hash: string,
  today: readonly DayItem[],
): string | undefined {
  const known = submissionId === undefined ? undefined : store.submission(submissionId);
  if (!known) return today.find(({ contentHash }) => contentHash === hash)?.submissionId;
  if (known.sessionId === sessionId && known.contentHash === hash) return known.id;
  throw new BinderyError('duplicate', { detail: 'This submission_id belongs to another submission.' });
}
