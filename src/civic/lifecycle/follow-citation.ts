import { type LinkProbe, visitLink } from './visit-link.ts';

export interface Citation {
  readonly url: string;
  /** URL of an archived copy. */
  readonly archivedUrl?: string | undefined;
}

/** Where to read a citation, and a warning for the reader. */
export interface FollowedCitation {
  /** Absent: neither the page nor a copy is readable. */
  readonly url?: string;
  readonly warning?: string;
}

/** Follows a citation as an agent should [R4]: if the page is gone, it warns and uses the archived copy. */
export async function followCitation(probe: LinkProbe, { url, archivedUrl }: Citation): Promise<FollowedCitation> {
  if ((await visitLink(probe, url)) !== 'dead') return { url };
  if (archivedUrl === undefined || (await visitLink(probe, archivedUrl)) === 'dead') {
    return { warning: 'The cited page no longer exists, and there is no archived copy: what rests on it is unproven.' };
  }
  return { url: archivedUrl, warning: 'The cited page no longer exists; this is an archived copy of it.' };
}
