import type { Case } from './case-shape.ts';

const INDENT = '  ';

/** A case as text for a terminal. Untrusted text was escaped before; a diff keeps its lines. */
export function printCase(found: Case): string {
  const blocks = [
    head(found),
    titled('Says', found.submission?.message ? [said(found.submission.message)] : []),
    titled('Held by', [
      ...found.protected.map(({ field, gate, reason }) => said(`${field} (needs ${gate}): ${reason}`)),
      ...found.findings.map(({ rule, pointer, text }) => said(`${rule} at ${pointer}: …${text}…`)),
    ]),
    changeText(found.change),
    titled('Evidence', evidenceLines(found)),
    titled('Votes on the amendment', voteLines(found.amendment_votes)),
    titled('Votes on the target', voteLines(found.target?.votes)),
    titled('Decided before', found.earlier.flatMap(earlierLines)),
    titled('Content', found.change ? [] : contentLines(found.content)),
    nextLine(found),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function head({ queue, submission, target }: Case): string {
  const lines = [
    queue ? `${queue.queue_id}  ${queue.class}${queue.reason ? ` · ${queue.reason}` : ''}` : undefined,
    submission && `${submission.submission_id}  ${submission.type}, ${submission.status}`,
    target
      ? `${target.type} ${target.id}  ${target.version}, ${target.status}`
      : queue?.target_id && `${queue.target_type} ${queue.target_id}`,
    `opened ${minute(queue?.opened_at ?? submission?.received_at ?? '')}${claimText(queue)}`,
    queue?.decided_at &&
      `decided ${minute(queue.decided_at)}: ${queue.decision}${queue.note ? ` (${queue.note})` : ''}`,
  ];
  return lines.filter(Boolean).join('\n');
}

function claimText(queue: Case['queue']): string {
  return queue?.claimed_by ? `, claimed by ${queue.claimed_by} until ${minute(queue.claimed_until ?? '')}` : '';
}

function changeText(change: Case['change']): string {
  if (!change) return '';
  const problem = change.problem ? `\n${INDENT}Does not apply: ${change.problem}` : '';
  return `Change${problem}\n${change.diff.trimEnd()}`;
}

function evidenceLines({ evidence, links_checked_in }: Case): string[] {
  const state = { reached: `reached ${links_checked_in}`, dead: `DEAD ${links_checked_in}`, unchecked: 'not checked' };
  return evidence.flatMap(({ url, of, archived_url, state: is, host }) => [
    `${INDENT}${url}`,
    `${INDENT}${INDENT}${of === 'submission' ? 'cited by the sender' : 'cited by the target'}, ${state[is]}${host === 'foreign' ? ', foreign host' : ''}`,
    ...(archived_url ? [`${INDENT}${INDENT}archived: ${archived_url}`] : []),
  ]);
}

function voteLines(votes: Case['amendment_votes']): string[] {
  if (!votes) return [];
  const { confirms, rejects, utc_days } = votes;
  return [
    `${INDENT}${confirms} confirm, ${rejects} reject, on ${utc_days} days`,
    ...votes.toward.map(({ to, conditions }) =>
      said(
        `→ ${to}: ${conditions.map(({ name, have, need, met, below }) => `${name.replaceAll('_', ' ')} ${have} (needs ${below ? 'less than ' : ''}${need}${met ? ' ✓' : ''})`).join(', ')}`,
      ),
    ),
  ];
}

function earlierLines(case_: Case['earlier'][number]): string[] {
  const { queue_id, decision, decided_at, alike, note } = case_;
  return [
    `${INDENT}${queue_id}  ${decided_at.slice(0, 10)} ${decision}`,
    said(`${INDENT}alike: ${alike.join(', ')}${note ? `; note: ${note}` : ''}`),
  ];
}

function contentLines(content: unknown): string[] {
  if (content === null || content === undefined) return [];
  return JSON.stringify(content, null, 2).split('\n').map(said);
}

function nextLine({ queue, decisions, burst }: Case): string {
  if (!queue) return '';
  const { queue_id } = queue;
  const next = decisions.length === 0 ? `Undo: bindery civic undo ${queue_id}` : decideLine(queue_id, decisions, burst);
  if (!burst || burst.through >= burst.concerns) return next;
  const shown = `Concerns ${burst.from} to ${burst.through} of ${burst.concerns}.`;
  return `${shown} More: bindery civic show ${queue_id} --from ${burst.through + 1}\n${next}`;
}

/** Only the concerns read so far can be released from a burst. */
function decideLine(queueId: string, decisions: readonly string[], burst: Case['burst']): string {
  const possible = decisions.map((one) => (burst && one === 'release' ? `release --through ${burst.through}` : one));
  return `Decide: bindery civic review ${queueId} ${possible.join(burst ? ' | ' : '|')}`;
}

function titled(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines].join('\n');
}

/** Untrusted text stays on one line, so that it cannot imitate our own lines; the terminal wraps it. */
function said(text: string): string {
  return `${INDENT}${text}`;
}

function minute(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ');
}
