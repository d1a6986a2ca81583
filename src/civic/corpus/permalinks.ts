/** Hosts with unstable pages, and the form of their permalinks [R3]. A corpus of another country adds its gazette. */
const PERMALINKS = [
  {
    host: 'ejustice.just.fgov.be',
    isPermalink: (url: URL) => url.pathname.startsWith('/eli/'),
    form: 'https://www.ejustice.just.fgov.be/eli/<type>/<year>/<month>/<day>/<number>/<version>',
  },
] as const;

/** The permalink form of this URL's host; undefined if it has none, or this URL is a permalink. */
export function permalinkForm(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const known = PERMALINKS.find(({ host }) => url.hostname === host || url.hostname.endsWith(`.${host}`));
  return known && !known.isPermalink(url) ? known.form : undefined;
}
