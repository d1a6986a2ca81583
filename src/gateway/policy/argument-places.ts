/** Paths and hosts that a call's arguments name. */
export interface NamedPlaces {
  readonly paths: readonly string[];
  /** Host names in lower case; an empty one where a URL has none. */
  readonly hosts: readonly string[];
}

const PATH_START = /^(?:\/|~|\.\/|\.\.\/|[A-Za-z]:[\\/])/;
const FILE_START = /^file:/i;
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
    const read = asUrl(text);
    if (FILE_START.test(read)) paths.push(read);
    else if (PATH_START.test(text)) paths.push(text);
    else if (URL_START.test(text) || URL_START.test(read) || WEB_START.test(read))
      hosts.push(URL.canParse(text) ? new URL(text).hostname.toLowerCase() : '');
    else if (PARENT_STEP.test(text)) paths.push(text);
  }
  return { paths, hosts };
}

/** As readers of URLs take it: without blanks before it, and tabs and line ends within. */
function asUrl(text: string): string {
  return text.replace(/[\t\n\r]/g, '').replace(LEADING_BLANKS, '');
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

/** However deep they lie: a caller may nest what it sends without end. */
function stringsOf(value: unknown): string[] {
  const strings: string[] = [];
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') strings.push(next);
    else if (Array.isArray(next)) for (const item of next) waiting.push(item);
    else if (typeof next === 'object' && next !== null) {
      for (const [name, item] of Object.entries(next)) {
        strings.push(name);
        waiting.push(item);
      }
    }
  }
  return strings;
}
