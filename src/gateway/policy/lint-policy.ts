import type { Finding, ParsedPolicy, PolicyDocument } from './policy-document.ts';

/** Servers and tools (original names) that are known; undefined where nobody can tell. */
export type KnownTools = ReadonlyMap<string, ReadonlySet<string>>;

export interface LintReport {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

/** Everything worth saying about one policy: its errors, and rules that cannot do what they seem to. */
export function lintPolicy(policy: ParsedPolicy, known: KnownTools | undefined): LintReport {
  const findings = [...policy.findings];
  if (policy.document)
    findings.push(...ineffective(policy.document), ...(known ? unknownNames(policy.document, known) : []));
  findings.sort((a, b) => a.line - b.line || (a.pointer < b.pointer ? -1 : a.pointer > b.pointer ? 1 : 0));
  return { ok: findings.every(({ level }) => level !== 'error'), findings };
}

function ineffective(document: PolicyDocument): Finding[] {
  const findings: Finding[] = [];
  const listed = new Set(document.servers.entries.map(({ value }) => value));
  for (const [server, tools] of document.tools) {
    if (listed.has('*') || listed.has(server)) continue;
    findings.push(warning('tools_for_unlisted_server', tools, `${server} is not in servers: these tools stay denied`));
  }
  for (const rules of document.operations.values()) {
    if (canBeAllowed(document, rules.key, listed)) continue;
    findings.push(
      warning('operation_never_allowed', rules.place, `${rules.key} is in no list of allowed tools: it stays denied`),
    );
  }
  return findings;
}

/** Whether any listed server could offer what the key of an operation names. */
function canBeAllowed(document: PolicyDocument, key: string, listed: ReadonlySet<string>): boolean {
  const allows = (server: string, tool: string) => {
    if (!listed.has('*') && !listed.has(server)) return false;
    const names = document.tools.get(server)?.entries.map(({ value }) => value);
    return names === undefined || names.includes('*') || names.includes(tool);
  };
  // A server listed without a tools entry offers whatever it has; `*` lists servers that nobody named.
  const servers = [...listed].filter((server) => server !== '*');
  if (listed.has('*') || servers.some((server) => allows(server, key))) return true;
  const slashes = [...key.matchAll(/\//g)].map((match) => match.index);
  return slashes.some((index) => allows(key.slice(0, index), key.slice(index + 1)));
}

function unknownNames(document: PolicyDocument, known: KnownTools): Finding[] {
  const servers = document.servers.entries
    .filter(({ value }) => value !== '*' && !known.has(value))
    .map((entry) => warning('unknown_server', entry, `no server is called ${entry.value}`));
  const tools = [...document.tools].flatMap(([server, list]) =>
    list.entries
      .filter(({ value }) => value !== '*' && known.get(server)?.has(value) === false)
      .map((entry) => warning('unknown_tool', entry, `${server} has no tool ${entry.value}`)),
  );
  return [...servers, ...tools];
}

function warning(
  code: Finding['code'],
  { line, pointer }: { line: number; pointer: string },
  message: string,
): Finding {
  return { level: 'warning', code, line, pointer, message };
}
