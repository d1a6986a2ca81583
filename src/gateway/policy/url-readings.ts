import { GATEWAY_LIMITS } from '../limits.ts';
import type { StepBudget } from '../schema/steps.ts';
import { cutBlanks, cutEnd } from './cut-ends.ts';
import { signedWords } from './signed-words.ts';

/** The hosts that programs may read in a text, or why they are ambiguous. Undefined: no host. */
export type HostReadings = { readonly hosts: readonly string[] } | { readonly refused: string } | undefined;

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
/** Schemes after which parsers accept any number of slashes and backslashes before the host. */
const WEB = /^(?:https?|wss?|ftp):/i;

/** A text as URL parsers take it: without surrounding blanks, and without tabs and line ends. */
export function asUrl(text: string): string {
  return cutBlanks(text.replaceAll(/[\t\n\r]/g, ''));
}

export function isFileUrl(text: string): boolean {
  return /^file:/i.test(asUrl(text));
}

/** The hosts of a URL with a scheme, or of a scheme-relative one (`//host`). */
export function urlHosts(text: string): HostReadings {
  const url = asUrl(text);
  const scheme = SCHEME.exec(url)?.[0] ?? '';
  const rest = url.slice(scheme.length);
  const [slashes = ''] = /^[\\/]*/.exec(rest) ?? [];
  if (!WEB.test(scheme) && slashes.length < 2) return undefined;
  // Browsers and Node accept any number of slashes and backslashes; other parsers need two slashes, and read a backslash as part of the
  // host.
  const asBrowsersRead = rest.slice(slashes.length).split(/[/\\?#]/, 1);
  const asOthersRead = rest.startsWith('//')
    ? rest
        .slice(2)
        .split(/[/?#]/, 1)
        .filter((name) => name !== '')
    : [];
  const read = authorityHosts([...asBrowsersRead, ...asOthersRead]);
  if ('refused' in read) return read;
  // The URL parser of browsers and Node converts numbers to IP addresses.
  const seen = URL.parse(url)?.hostname;
  return { hosts: [...new Set([...read.hosts, ...(seen ? [canonicalHost(seen) ?? seen] : [])])] };
}

/** The hosts of a text to which programs add a scheme: `example.com/path`. */
export function bareHosts(text: string): Exclude<HostReadings, undefined> {
  return authorityHosts([/[/\\?#]/, /[/?#]/].flatMap((end) => asUrl(text).split(end, 1)));
}

function authorityHosts(
  authorities: readonly string[],
): { readonly hosts: readonly string[] } | { readonly refused: string } {
  const hosts = new Set<string>();
  for (const authority of authorities) {
    // No resolver accepts such a long name, and judging it would take long.
    if (authority.length > GATEWAY_LIMITS.urlCharsMax) return { refused: 'names a host that is longer than any' };
    const parts = authority.split('@');
    const host = plainHost(parts.at(-1) ?? '');
    if (parts.length > 2 || host === undefined) return { refused: whyUnclear(authority) };
    hosts.add(host);
  }
  return { hosts: [...hosts] };
}

function whyUnclear(authority: string): string {
  if (authority === '') return 'names no host';
  if (/[^\u0000-\u007f]/.test(authority)) return 'names a host that is not written in ASCII';
  return 'names a host that programs read in different ways';
}

/** The host of `host:port`, if all programs read it alike; otherwise undefined. */
function plainHost(hostAndPort: string): string | undefined {
  const [, host] = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/.exec(hostAndPort) ?? [];
  return host === undefined ? undefined : canonicalHost(host);
}

/** Lower case, without the dot of the DNS root, IPv6 in its shortest form. */
function canonicalHost(host: string): string | undefined {
  if (host.startsWith('[')) return URL.parse(`http://${host}/`)?.hostname;
  const name = host.toLowerCase().replace(/\.$/, '');
  return name.split('.').includes('') ? undefined : name;
}

/** Whether a host is one of the domains; `.example.com` matches every subdomain of example.com. */
export function isAllowedHost(host: string, domains: readonly string[]): boolean {
  return domains.some((domain) => {
    if (domain.startsWith('.')) return host.endsWith(domain.toLowerCase()) && host.length > domain.length;
    return host === canonicalHost(/^[0-9a-f.]*:[0-9a-f.:]*:/i.test(domain) ? `[${domain}]` : domain);
  });
}

/** The end of a URL in a longer text. Not a quotation mark, because some programs read it as part of a host. */
const URL_END = /[\s<>]/;
const URL_BEGINNING = /:[\\/]{2}|(?:https?|wss?|ftp|file):|(?<=[\s"'`<>=(,;])[\\/]{2}(?=[\w[])/gi;

/** The URLs in a longer text. An unknown scheme is replaced by `x`. */
export function* embeddedUrls(text: string): Generator<string> {
  for (const { 0: beginning, index } of text.matchAll(URL_BEGINNING)) {
    const [url = ''] = text.slice(index, index + GATEWAY_LIMITS.urlCharsMax).split(URL_END, 1);
    // Trailing punctuation belongs to the text.
    const plain = cutEnd(url, (character) => ')]},.;:!?"\'`'.includes(character));
    if (beginning.startsWith(':')) yield `x${plain.length > 3 ? plain : url}`;
    else yield plain.length >= beginning.length ? plain : url;
  }
}

/** Anything that some program takes for a host. */
const NAME = /^(?:[^@/\\?#]*@)?(?:[^\s@#/:<>?[\\\]^|%]+|\[[^\]]*\])(?::\d*)?$/u;
const HOST =
  /(?:^|@)(?:localhost\.?|\[[^\]]*\]|\d+(?:\.\d+){3}|[^@]*[.\u3002\uff0e\uff61](?:\p{L}{2,}|xn--[\w-]+)\.?)(?::\d*)?$/iu;
/** For example `git@example.com:path`. */
const REMOTE_COPY = /^(?:[^@/\\:]+@[^@/\\:]+|[^@/\\:]+\.\p{L}{2,})(?=:(?!\d+(?:[/\\?#]|$)|[\\/]{2}))/u;

const WORDS = { separator: URL_END, sign: /[./:@\u3002\uff0e\uff61]/ };
/** What judging a word as an address costs. */
const ADDRESS_STEPS = 2;

/**
 * The words of a text that look like a host, or a host and a path, without a scheme. Throws `NotJudged` if the budget is used up.
 */
export function* bareAddresses(text: string, budget: StepBudget): Generator<string> {
  const joined = asUrl(text);
  const { words, isAlone } = signedWords(isOneWord(joined) ? joined : text, WORDS, budget);
  for (const word of words) {
    if (!WORDS.sign.test(word) && !/^localhost$/i.test(word)) continue;
    budget.spend(ADDRESS_STEPS + (word.length >> 4));
    const copied = word.includes(':') ? REMOTE_COPY.exec(word)?.[0] : undefined;
    const [authority = ''] = copied === undefined ? word.split(/[/\\?#]/, 1) : [copied];
    const hasPath = authority.length < word.length;
    if (authority.length > GATEWAY_LIMITS.urlCharsMax) {
      if (isAlone && hasPath) yield authority;
      continue;
    }
    // A single word may be a host without a dot; within a text, only a typical host name counts.
    const isAddress = isAlone
      ? hasPath || HOST.test(authority)
      : (hasPath || /:\d+$/.test(authority)) && HOST.test(authority);
    // A word with a scheme was already judged as a URL.
    if (isAddress && !/^[.~]|^[^.@]*:$/.test(authority) && NAME.test(authority) && !urlHosts(word)) yield authority;
  }
}

/** Whether a text only begins with a URL: no program reads a host with blanks in it, unless they are before an `@`. */
export function isLongerText(text: string): boolean {
  const [, authority = ''] = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?[\\/]*([^/?#]*)/.exec(asUrl(text)) ?? [];
  return URL_END.test(authority) && !authority.includes('@');
}

function isOneWord(text: string): boolean {
  return !URL_END.test(text);
}
