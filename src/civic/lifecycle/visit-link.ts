const REDIRECTS_MAX = 5;

/** The result of one request. */
export type LinkAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly location?: string }
  /** The name does not exist. */
  | { readonly kind: 'no_such_host' }
  | { readonly kind: 'unreachable' };

/** The network, as a port: one request, no redirects, aborted by the signal. */
export interface LinkProbe {
  request(method: 'HEAD' | 'GET', url: string, signal?: AbortSignal): Promise<LinkAnswer>;
}

export type LinkVerdict = 'alive' | 'dead' | 'suspect' | 'inconclusive';

/** Visits a link: HEAD, then GET if HEAD fails; only 404, 410 and an unknown host count as dead. */
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
    const next = URL.parse(answer.location as string, at);
    // Never follow a redirect from https to http, where others could answer.
    const isFollowed = next?.protocol === 'https:' || (next?.protocol === 'http:' && !at.startsWith('https:'));
    if (next === null || !isFollowed) return 'inconclusive';
    at = next.href;
  }
  return 'inconclusive';
}

function verdictOf(status: number, asked: string, reached: string): LinkVerdict {
  if (status === 404 || status === 410) return 'dead';
  if (status < 200 || status >= 300) return 'inconclusive';
  // A redirect of a lost page to the front page counts as dead.
  const isFrontDoor = reached !== asked && new URL(reached).pathname === '/' && new URL(asked).pathname !== '/';
  return isFrontDoor ? 'suspect' : 'alive';
}
