import { permalinkForm } from '../corpus/permalinks.ts';
import { openQueueItem } from '../review/open-queue-item.ts';
import type { Desk, FiledLink } from '../submissions/desk.ts';
import { traverse } from './cast-validation.ts';
import { type FollowedCitation, followCitation } from './follow-citation.ts';
import { recordEvent } from './record-event.ts';
import { type LinkProbe, type LinkVerdict, visitLink } from './visit-link.ts';

interface DeadCitation {
  readonly skill_id?: string;
  readonly reference_id?: string;
  readonly url: string;
  readonly archived_url?: string;
  /** The remedy: use the archived copy, which was reachable, or find another source. */
  readonly fallback: 'archived_url' | 'fresh_source';
  /** The permalink form, if the host has permalinks [R3]. */
  readonly permalink?: string;
}

/** Checks every citation and every source that may be visited, and stores what changed [L10, R2, R6]. */
export async function checkLinks(desk: Desk, probe: LinkProbe): Promise<void> {
  const { files, store } = desk;
  const dead: DeadCitation[] = [];
  for (const { type, id, links } of files.artefacts()) {
    const deadHere: DeadCitation[] = [];
    for (const link of links.filter((candidate) => !candidate.isAudited)) {
      if (link.sourceId !== undefined) await recordProbe(desk, id, link, await visitLink(probe, link.url));
      else if (type === 'skill' || type === 'reference') {
        const followed = await followCitation(probe, link);
        if (followed.warning !== undefined) deadHere.push(deadCitation(type, id, link, followed));
      }
    }
    dead.push(...deadHere);
    if (type !== 'skill') continue;
    await store.transact(() => {
      const isDead = deadHere.length > 0;
      if ((store.artefact('skill', id)?.hasDeadCitation ?? isDead) === isDead) return;
      recordEvent(desk, 'skill', id, { kind: 'citations_checked', dead: isDead });
    });
  }
  await store.transact(() => reportDead(desk, dead));
}

/** The note that lists the dead links already reported in a queue item. */
const REPORTED_NOTE = 'dead_links_reported';

/** Reports a dead link once, however long it stays dead; if it recovers, it can be reported again. */
function reportDead(desk: Desk, dead: readonly DeadCitation[]): void {
  const { store } = desk;
  const reported = new Set<string>(JSON.parse(store.note(REPORTED_NOTE) ?? '[]') as string[]);
  const fresh = dead.filter((link) => !reported.has(keyOf(link)));
  store.setNote(REPORTED_NOTE, JSON.stringify(dead.map(keyOf)));
  if (fresh.length === 0) return;
  const open = store.queueItems('open', 'protocol_amendment').find(({ reason }) => reason === 'dead_citations');
  if (!open) {
    openQueueItem(desk, 'protocol_amendment', { reason: 'dead_citations', content: { citations: fresh } });
    return;
  }
  const { citations } = open.content as { citations: readonly DeadCitation[] };
  store.updateQueueItem(open.queueId, { content: { citations: [...citations, ...fresh] } });
}

/** Whether the last check found a link of this artefact dead. */
export function isReportedDead({ store }: Desk, artefactId: string, url: string): boolean {
  const reported = JSON.parse(store.note(REPORTED_NOTE) ?? '[]') as string[];
  return reported.includes(`${artefactId} ${url}`);
}

function keyOf({ skill_id, reference_id, url }: DeadCitation): string {
  return `${skill_id ?? reference_id} ${url}`;
}

async function recordProbe(desk: Desk, pathId: string, link: FiledLink, verdict: LinkVerdict): Promise<void> {
  const outcome = verdict === 'dead' ? 'failure' : verdict === 'alive' ? 'success' : 'inconclusive';
  await desk.store.transact(() => {
    if (desk.store.artefact('path', pathId)) traverse(desk, pathId, link.sourceId as string, outcome);
  });
}

function deadCitation(
  type: 'skill' | 'reference',
  id: string,
  { url, archivedUrl }: FiledLink,
  followed: FollowedCitation,
): DeadCitation {
  const permalink = permalinkForm(url);
  return {
    ...(type === 'skill' ? { skill_id: id } : { reference_id: id }),
    url,
    ...(archivedUrl === undefined ? {} : { archived_url: archivedUrl }),
    fallback: followed.url === undefined ? 'fresh_source' : 'archived_url',
    ...(permalink === undefined ? {} : { permalink }),
  };
}
