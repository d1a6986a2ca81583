const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Accepts requests whose Host (and Origin, where there is one) is this server: a page elsewhere that points a name of
 * its own at 127.0.0.1 must not reach it. `publicUrls` are addresses under which others reach it,
 * `advertised` the one under which other nodes do.
 */
export function hostGuard(
  baseUrl: () => string,
  publicUrls: () => readonly string[],
  advertised?: string,
): (host: string | undefined, origin: string | undefined) => boolean {
  const isPublic = (host: string) => publicUrls().some((url) => new URL(url).hostname === host);
  const ownNames = new Set([...LOOPBACK, ...(advertised === undefined ? [] : [new URL(advertised).hostname])]);
  const isOurs = (host: string) => ownNames.has(host) || isPublic(host) || host === new URL(baseUrl()).hostname;
  // Nearly every request has the same Host: the last one that was ours is remembered.
  let accepted: string | undefined;
  let acceptedBy = publicUrls();
  return (host, origin) => {
    if (acceptedBy !== publicUrls()) {
      acceptedBy = publicUrls();
      accepted = undefined;
    }
    if (origin === undefined && host !== undefined && host === accepted) return true;
    const hostname = hostnameOf(`http://${host ?? ''}`);
    if (hostname === undefined || !isOurs(hostname)) return false;
    if (origin === undefined) {
      accepted = host;
      return true;
    }
    const from = hostnameOf(origin);
    return from !== undefined && isOurs(from);
  };
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
