/** Paths and hosts that a call's arguments name. */
export interface NamedPlaces {
  readonly paths: readonly string[];
  /** Host names in lower case; an empty one where a URL has none. */
  readonly hosts: readonly string[];
}

const PATH_START = /^(?:\/|~|\.\/|\.\.\/|[A-Za-z]:[\\/]|file:)/;
const URL_START = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;
/** What leads somewhere with any number of slashes, since that is how URLs of these schemes are read. */
const WEB_START = /^(?:https?|wss?|ftp):/i;
const LEADING_BLANKS = /^[\u0000-\u0020]+/;
const PARENT_STEP = /(?:^|[\\/])\.\.(?:[\\/]|$)/;

/** Every string of the arguments, at any depth, names of members included, that reads as a path or as a URL. */
export function namedPlaces(value: unknown): NamedPlaces {
  const paths: string[] = [];
  const hosts: string[] = [];
  for (const text of stringsOf(value)) {
    if (PATH_START.test(text)) paths.push(text);
    else if (isUrl(text)) hosts.push(URL.canParse(text) ? new URL(text).hostname.toLowerCase() : '');
    else if (PARENT_STEP.test(text)) paths.push(text);
  }
  return { paths, hosts };
}

function isUrl(text: string): boolean {
  if (URL_START.test(text)) return true;
  // Readers of URLs drop blanks before them and tabs and line ends within.
  const read = text.replace(/[\t\n\r]/g, '').replace(LEADING_BLANKS, '');
  return WEB_START.test(read) || URL_START.test(read);
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
  else if (typeof value === 'object' && value !== null)
    for (const [name, item] of Object.entries(value)) {
      yield name;
      yield* stringsOf(item);
    }
}
