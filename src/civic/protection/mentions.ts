import { EMAIL } from '../scrub/find-emails.ts';
import { findPhones } from '../scrub/find-phones.ts';
import { normaliseText } from '../scrub/normalise-text.ts';

/** Where a text sends its readers. */
export interface Mentions {
  /** Links as written, each as often as it is there. */
  readonly links: readonly string[];
  /** Hosts of links, and names of hosts that stand in the text without a scheme. */
  readonly hosts: ReadonlySet<string>;
  /** Phone numbers and e-mail addresses, without separators. */
  readonly contacts: ReadonlySet<string>;
}

const LINK = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`)\]}]{1,2000}/gi;
const BARE_HOST =
  /(?<![\p{L}\p{N}@./_-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,6}\p{L}{2,24}(?![\p{L}\p{N}@_-])/giu;
/** A point that is spelled out, so that no program follows it and every person does. */
const SPELLED_POINT = /\s?[([{]\s?(?:\.|dot|point|punt|punkt)\s?[)\]}]\s?/gi;
/** Ends of file names, and of abbreviations that are written without a space. */
const NO_DOMAIN = new Set(
  'pdf md yaml yml html htm doc docx xls xlsx csv txt png jpg jpeg gif svg zip json xml odt ics'.split(' '),
);

/** Finds links, hosts and contacts in a text. */
export function findMentions(source: string): Mentions {
  const text = normaliseText(source).text.replace(SPELLED_POINT, '.');
  const links = [...text.matchAll(LINK)].map(([link]) => link.replace(/[.,;:!?]+$/, ''));
  const hosts = new Set<string>();
  for (const link of links) hosts.add(hostOf(link) ?? link);
  const bare = text.replace(LINK, ' ').replace(EMAIL, ' ');
  for (const { 0: name, index } of bare.matchAll(BARE_HOST)) {
    const labels = name.toLowerCase().split('.');
    // One letter before the point is an abbreviation, unless a path follows as in `t.me/name`.
    const isShort = (labels.at(-2) as string).length === 1 && bare[index + name.length] !== '/';
    if (!NO_DOMAIN.has(labels.at(-1) as string) && !isShort) {
      hosts.add(hostOf(`https://${name}`) ?? name.toLowerCase());
    }
  }
  return { links, hosts, contacts: findContacts(text) };
}

function findContacts(text: string): Set<string> {
  const contacts = new Set<string>();
  const { hits, allowed } = findPhones(text, true);
  for (const { start, end } of [...hits, ...allowed]) contacts.add(text.slice(start, end).replace(/[^\d+]/g, ''));
  for (const [address] of text.matchAll(EMAIL)) contacts.add(address.replace(/\s/g, '').toLowerCase());
  return contacts;
}

/** The host that a link leads to, with its port where it names one; undefined: a program would not follow it. */
export function hostOf(link: string): string | undefined {
  return URL.parse(link)?.host.toLowerCase() || undefined;
}
