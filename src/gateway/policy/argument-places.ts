/** Paths and hosts that a call's arguments name. */
export interface NamedPlaces {
  readonly paths: readonly string[];
  /** Host names in lower case; an empty one where a URL has none. */
  readonly hosts: readonly string[];
}

const PATH_START = /^(?:\/|~|\.\/|\.\.\/|[A-Za-z]:[\\/]|file:)/;
const URL_START = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;
const PARENT_STEP = /(?:^|[\\/])\.\.(?:[\\/]|$)/;

/** Every string of the arguments, at any depth, that reads as a path or as a URL. */
export function namedPlaces(value: unknown): NamedPlaces {
  const paths: string[] = [];
  const hosts: string[] = [];
  for (const text of stringsOf(value)) {
    if (PATH_START.test(text)) paths.push(text);
    else if (URL_START.test(text)) hosts.push(URL.canParse(text) ? new URL(text).hostname.toLowerCase() : '');
    else if (PARENT_STEP.test(text)) paths.push(text);
  }
  return { paths, hosts };
}

/** Whether a host is one of the domains; `.example.com` stands for everything below example.com. */
export function isAllowedHost(host: string, domains: readonly string[]): boolean {
  return domains.some((domain) => {
    const wanted = domain.toLowerCase();
    return wanted.startsWith('.') ? host.endsWith(wanted) && host.length > wanted.length : host === wanted;
  });
}

/** Whether a resolved path is a resolved root or lies below it. */
export function isBelow(path: string, root: string): boolean {
  const base = root.endsWith('/') ? root : `${root}/`;
  return path === root || path.startsWith(base);
}

function* stringsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* stringsOf(item);
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) yield* stringsOf(item);
}
