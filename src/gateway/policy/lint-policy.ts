import { type KnownTools, toolOfPublicName, withHint } from './name-doubts.ts';
import type { Finding, ParsedPolicy, PolicyDocument } from './policy-document.ts';

export interface LintReport {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

/** The findings on one policy: its errors, and rules without the effect that they seem to have. */
export function lintPolicy(policy: ParsedPolicy, known: KnownTools | undefined): LintReport {
  const findings = [...policy.findings];
  if (policy.document) {
    const misnamed = publicNames(policy.document);
    const others = [...ineffective(policy.document, known), ...(known ? unknownNames(policy.document, known) : [])];
    // For a public name, report only the misnaming: the other findings follow from it.
    findings.push(...misnamed, ...others.filter((other) => misnamed.every(({ pointer }) => pointer !== other.pointer)));
  }
  findings.sort((a, b) => a.line - b.line || (a.pointer < b.pointer ? -1 : a.pointer > b.pointer ? 1 : 0));
  return { ok: findings.every(({ level }) => level !== 'error'), findings };
}

const NOTHING = 'no tool of any server is allowed: every call is denied';

function ineffective(document: PolicyDocument, known: KnownTools | undefined): Finding[] {
  const findings: Finding[] = [];
  const listed = new Set(document.servers.entries.map(({ value }) => value));
  const isEmpty = (server: string) => document.tools.get(server)?.entries.length === 0;
  if ([...listed].every(isEmpty)) findings.push(warning('permits_nothing', document.servers, NOTHING));
  for (const [server, tools] of document.tools) {
    if (listed.has('*') || listed.has(server)) continue;
    findings.push(warning('tools_for_unlisted_server', tools, `${server} is not in servers: these tools stay denied`));
  }
  for (const { allowedRoots, allowedDomains } of document.operations.values()) {
    if (allowedRoots && !allowedRoots.places)
      findings.push(warning('arguments_not_named', allowedRoots, 'every string counts as a path: add path_arguments'));
    if (allowedDomains && !allowedDomains.places)
      findings.push(
        warning('arguments_not_named', allowedDomains, 'every string is searched for addresses: add url_arguments'),
      );
  }
  for (const { key, place } of document.operations.values()) {
    if (canBeAllowed(document, key, known)) continue;
    const message = canBeAllowed(document, key, undefined)
      ? withHint(`no server has a tool ${key}: the rule has no effect`, key, toolNames(known))
      : `${key} is in no list of allowed tools: it stays denied`;
    findings.push(warning('operation_never_allowed', place, message));
  }
  return findings;
}

/** Rules that use the public name of a tool. Policy uses the original name, so such a rule has no effect. */
function publicNames({ servers, tools, forbidden, operations }: PolicyDocument): Finding[] {
  const listed = [...tools].flatMap(([server, { entries }]) =>
    entries.map((place) => ({ value: place.value, place, meant: toolOfPublicName(server, place.value) })),
  );
  const ids = [...new Set([...servers.entries.map(({ value }) => value), ...tools.keys()])];
  const anywhere = [
    ...forbidden.map(({ value, ...place }) => ({ value, place })),
    ...[...operations.values()].map(({ key, place }) => ({ value: key, place })),
  ].map(({ value, place }) => {
    const server = ids.find((id) => toolOfPublicName(id, value) !== undefined) ?? '';
    const own = toolOfPublicName(server, value);
    return { value, place, meant: server === '' || own === undefined ? undefined : `${server}/${own}` };
  });
  return [...listed, ...anywhere].flatMap(({ value, place, meant }) =>
    meant === undefined
      ? []
      : [warning('unknown_tool', place, `${value} is the name that clients see, and matches no tool: write ${meant}`)],
  );
}

/** Whether a listed server could offer the tool of an operation key, and no other rule denies it. */
function canBeAllowed(document: PolicyDocument, key: string, known: KnownTools | undefined): boolean {
  const listed = new Set(document.servers.entries.map(({ value }) => value));
  const candidates = [...listed].filter((server) => server !== '*');
  const split = [...key.matchAll(/\//g)].map(({ index }) => [key.slice(0, index), key.slice(index + 1)] as const);
  const named = split.filter(([server]) => listed.has('*') || listed.has(server));
  if (named.some(([server, tool]) => !isRefused(document, server, tool) && isInList(document, server, tool)))
    return true;
  const open = candidates.filter((server) => !isRefused(document, server, key));
  if (open.some((server) => document.tools.has(server) && isInList(document, server, key))) return true;
  // A server without a tool list allows all its tools; its catalogue says which those are.
  const unlisted = open.filter((server) => !document.tools.has(server));
  if (unlisted.some((server) => known?.get(server)?.has(key))) return true;
  // If a catalogue is unknown, assume a match; without `*`, only if the file lists no tools at all.
  const isUnseen = listed.has('*') || unlisted.some((server) => known?.get(server) === undefined);
  return (
    split.length === 0 && isUnseen && (listed.has('*') ? !isRefused(document, '*', key) : document.tools.size === 0)
  );
}

function isInList({ tools }: PolicyDocument, server: string, tool: string): boolean {
  const list = tools.get(server);
  return !list || list.entries.some(({ value }) => value === tool || value === '*');
}

/** Whether the tool is forbidden, or excluded by the old `allowed_operations` filter. */
function isRefused({ forbidden, allowedOperations }: PolicyDocument, server: string, tool: string): boolean {
  const matches = ({ value }: { value: string }) => value === tool || value === `${server}/${tool}`;
  return forbidden.some(matches) || (allowedOperations !== undefined && !allowedOperations.entries.some(matches));
}

function unknownNames(document: PolicyDocument, known: KnownTools): Finding[] {
  const servers = document.servers.entries
    .filter(({ value }) => value !== '*' && !known.has(value))
    .map((entry) =>
      warning('unknown_server', entry, withHint(`no server is called ${entry.value}`, entry.value, known.keys())),
    );
  const tools = [...document.tools].flatMap(([server, list]) =>
    list.entries
      .filter(({ value }) => value !== '*' && known.get(server)?.has(value) === false)
      .map((entry) =>
        warning(
          'unknown_tool',
          entry,
          withHint(`${server} has no tool ${entry.value}`, entry.value, known.get(server)),
        ),
      ),
  );
  // While the tools of a server are unknown, it may have this one.
  const isSeen = document.servers.entries.every(({ value }) => known.get(value) !== undefined);
  const exists = (name: string) =>
    [...known].some(
      ([server, names]) =>
        names?.has(name) || (name.startsWith(`${server}/`) && names?.has(name.slice(server.length + 1))),
    );
  const names = toolNames(known);
  const nameless = (value: string) => withHint(`no server has a tool ${value}`, value, names);
  const forbidden = document.forbidden
    .filter(({ value }) => isSeen && !exists(value))
    .map((entry) => warning('unknown_tool', entry, nameless(entry.value)));
  // An operation that is never allowed is already reported as such.
  const operations = [...document.operations.values()]
    .filter(({ key }) => isSeenOf(document, key, known) && !exists(key) && canBeAllowed(document, key, known))
    .map(({ key, place }) => warning('unknown_tool', place, nameless(key)));
  return [...servers, ...tools, ...forbidden, ...operations];
}

/** All names by which a rule can refer to a tool. */
function toolNames(known: KnownTools | undefined): string[] {
  return [...(known ?? [])].flatMap(([server, seen]) =>
    [...(seen ?? [])].flatMap((tool) => [tool, `${server}/${tool}`]),
  );
}

/** Whether the tools of every server that a key may refer to are known. */
function isSeenOf(document: PolicyDocument, key: string, known: KnownTools): boolean {
  const named = [...known.keys()].filter((server) => key.startsWith(`${server}/`));
  const listed = document.servers.entries.map(({ value }) => value);
  const meant = named.length > 0 ? named : listed.includes('*') ? [...known.keys()] : listed;
  return meant.every((server) => known.get(server) !== undefined);
}

function warning(
  code: Finding['code'],
  { line, pointer }: { line: number; pointer: string },
  message: string,
): Finding {
  return { level: 'warning', code, line, pointer, message };
}
