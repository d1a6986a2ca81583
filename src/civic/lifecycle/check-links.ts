import { openQueueItem } from '../review/open-queue-item.ts';
import type { Desk, FiledLink } from '../submissions/desk.ts';
import { traverse } from './cast-validation.ts';
import { recordEvent } from './record-event.ts';

const REDIRECTS_MAX = 5;

/** What one request to a link came to. */
export type LinkAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly location?: string }
  /** The name does not exist. */
  | { readonly kind: 'no_such_host' }
  | { readonly kind: 'unreachable' };

/** The network, as a port: one request, no redirect followed. */
export interface LinkProbe {
  request(method: 'HEAD' | 'GET', url: string): Promise<LinkAnswer>;
}

export type LinkVerdict = 'alive' | 'dead' | 'suspect' | 'inconclusive';

/** Visits a link: HEAD, then GET where HEAD is not answered; only 404, 410 and a missing host are death. */
export async function visitLink(probe: LinkProbe, url: string): Promise<LinkVerdict> {
  let at = url;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    let answer = await probe.request('HEAD', at);
    if (answer.kind === 'answer' && (answer.status === 405 || answer.status === 501)) {
      answer = await probe.request('GET', at);
    }
    if (answer.kind !== 'answer') return answer.kind === 'no_such_host' ? 'dead' : 'inconclusive';
    const isRedirect = answer.status >= 300 && answer.status < 400 && answer.location !== undefined;
    if (!isRedirect) return verdictOf(answer.status, url, at);
    if (!URL.canParse(answer.location as string, at)) return 'inconclusive';
    at = new URL(answer.location as string, at).href;
    if (!/^https?:/.test(at)) return 'inconclusive';
  }
  return 'inconclusive';
}

/** Visits every citation and every source that may be visited, and writes down what changed [L10, R2, R6]. */
export async function checkLinks(desk: Desk, probe: LinkProbe): Promise<void> {
  const { files, store } = desk;
  const dead: { skill_id: string; url: string; archived_url?: string }[] = [];
  for (const { type, id, links } of files.artefacts()) {
    const deadHere: FiledLink[] = [];
    for (const link of links.filter((candidate) => !candidate.isAudited)) {
      const verdict = await visitLink(probe, link.url);
      if (link.sourceId === undefined && verdict === 'dead') deadHere.push(link);
      if (link.sourceId !== undefined) await recordProbe(desk, id, link, verdict);
    }
    if (type !== 'skill') continue;
    for (const { url, archivedUrl } of deadHere) {
      dead.push({ skill_id: id, url, ...(archivedUrl === undefined ? {} : { archived_url: archivedUrl }) });
    }
    await store.transact(() => {
      const isDead = deadHere.length > 0;
      if ((store.artefact('skill', id)?.hasDeadCitation ?? isDead) === isDead) return;
      recordEvent(desk, 'skill', id, { kind: 'citations_checked', dead: isDead });
    });
  }
  if (dead.length === 0) return;
  await store.transact(() =>
    openQueueItem(desk, 'protocol_amendment', {
      reason: 'dead_citations',
      content: {
        citations: dead,
        advice: 'Read archived_url where there is one; prefer a permalink of the official gazette as the new source.',
      },
    }),
  );
}

async function recordProbe(desk: Desk, pathId: string, link: FiledLink, verdict: LinkVerdict): Promise<void> {
  const outcome = verdict === 'dead' ? 'failure' : verdict === 'alive' ? 'success' : 'inconclusive';
  await desk.store.transact(() => {
    if (desk.store.artefact('path', pathId)) traverse(desk, pathId, link.sourceId as string, outcome);
  });
}

function verdictOf(status: number, asked: string, reached: string): LinkVerdict {
  if (status === 404 || status === 410) return 'dead';
  if (status < 200 || status >= 300) return 'inconclusive';
  // A page that sends every lost visitor to its front door has lost this one too.
  const isFrontDoor = reached !== asked && new URL(reached).pathname === '/' && new URL(asked).pathname !== '/';
  return isFrontDoor ? 'suspect' : 'alive';
}
