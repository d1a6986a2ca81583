import { type LinkProbe, visitLink } from './visit-link.ts';

export interface Citation {
  readonly url: string;
  /** Where a copy of what stood there is kept. */
  readonly archivedUrl?: string | undefined;
}

/** Where to read what a citation names, and what to tell the person who relies on it. */
export interface FollowedCitation {
  /** Absent: neither the page nor a copy can be read. */
  readonly url?: string;
  readonly warning?: string;
}

/** Follows a citation as an agent should [R4]: where its page is gone, it warns and turns to the archived copy. */
export async function followCitation(probe: LinkProbe, { url, archivedUrl }: Citation): Promise<FollowedCitation> {
  if ((await visitLink(probe, url)) !== 'dead') return { url };
  if (archivedUrl === undefined || (await visitLink(probe, archivedUrl)) === 'dead') {
    return { warning: 'The cited page no longer exists, and there is no archived copy: what rests on it is unproven.' };
  }
  return { url: archivedUrl, warning: 'The cited page no longer exists; this is an archived copy of it.' };
}
