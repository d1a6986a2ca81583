import { checkBody } from '../corpus/check-body.ts';
import { isListedHost } from './jurisdiction-hosts.ts';
import { findLinkTargets, type LinkTargets } from './link-targets.ts';
import { findMentions } from './mentions.ts';
import type { FieldName } from './protected-fields.ts';

type Add = (field: FieldName, what?: string) => void;

/** Hosts, links and contacts that a text has and the text before lacks. */
export function compareMentions(before: string, after: string, listed: readonly string[], add: Add): void {
  if (before === after) return;
  const [old, next] = [findMentions(before), findMentions(after)];
  addForeignHosts(old.hosts, next.hosts, listed, add);
  if ([...old.links].sort().join('\n') !== [...next.links].sort().join('\n')) add('url');
  const contacts = [...next.contacts].filter((contact) => !old.contacts.has(contact));
  if (contacts.length > 0 || [...old.contacts].some((contact) => !next.contacts.has(contact))) add('contact');
}

/** A link leads where a browser resolves it, whatever its spelling. */
export function compareTargets(before: string, after: string, listed: readonly string[], add: Add): void {
  if (before === after) return;
  const [old, next] = [before, after].map((body) => findLinkTargets(body, checkBody(body).tags)) as [
    LinkTargets,
    LinkTargets,
  ];
  addForeignHosts(old.foreign, next.foreign, listed, add);
  if ([...old.targets].sort().join('\n') !== [...next.targets].sort().join('\n')) add('url');
}

interface Said {
  readonly said: string;
  readonly corpusHosts: (() => ReadonlySet<string>) | undefined;
}

/** The sender's words are published with the change, so the same rules apply to them. */
export function checkSaid(before: string, { said, corpusHosts }: Said, listed: readonly string[], add: Add): void {
  const { hosts: named, contacts } = findMentions(said);
  const hosts = new Set([...named, ...findLinkTargets(said).foreign]);
  if ([...hosts].some((host) => !isListedHost(host, listed))) {
    const known = new Set([...findMentions(before).hosts, ...(corpusHosts?.() ?? [])]);
    addForeignHosts(known, hosts, listed, add);
  }
  if (contacts.size > 0) add('contact');
}

function addForeignHosts(
  old: ReadonlySet<string>,
  next: ReadonlySet<string>,
  listed: readonly string[],
  add: Add,
): void {
  const foreign = [...next].filter((host) => !old.has(host) && !isListedHost(host, listed));
  if (foreign.length > 0) add('foreign_host', foreign.sort().slice(0, 5).join(', '));
}
