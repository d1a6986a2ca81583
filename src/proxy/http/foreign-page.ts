/**
 * Whether a page of another origin asks, such as one that another port of this machine serves, and brings no credential. Browsers say so
 * by `Sec-Fetch-Site`, which no page can change.
 */
export function isForeignPage(header: (name: string) => string | undefined): boolean {
  const site = header('sec-fetch-site');
  return (site === 'cross-site' || site === 'same-site') && header('authorization') === undefined;
}
