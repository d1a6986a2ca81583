import { listProviders, type ProviderEntry, type ProviderFile, type ProviderSource } from './directory.ts';

/** The eight rules, each with where it is checked; `docs/policies/editorial-firewall.md` gives the reasons. */
export const FIREWALL_RULES = [
  { rule: 1, text: 'The text of a skill names no provider.', checkedBy: 'corpus build: provider_named' },
  {
    rule: 2,
    text: 'The API is the offer: no advertising stands beside it.',
    checkedBy: 'directory: known members only',
  },
  { rule: 3, text: 'Providers are honest and do not instruct the agent.', checkedBy: 'directory: injection patterns' },
  { rule: 4, text: 'Providers are not ranked or recommended.', checkedBy: 'directory: order by daily hash' },
  { rule: 5, text: 'A category shows nobody until two providers are eligible.', checkedBy: 'directory: one is none' },
  { rule: 6, text: 'Paying buys no better place.', checkedBy: 'directory: order without billing is the same' },
  { rule: 7, text: 'Removal for cause is blind to revenue.', checkedBy: 'directory: removed with and without billing' },
  { rule: 8, text: 'No skill is sponsored.', checkedBy: 'corpus build: sponsor keys are refused' },
] as const;

export interface FirewallFinding {
  readonly rule: (typeof FIREWALL_RULES)[number]['rule'];
  readonly message: string;
}

export interface FirewallContext {
  readonly nowMs: number;
  looksLikeInjection(text: string): boolean;
  /** The parsed API description of an entry; undefined if it cannot be read. */
  readApiSpec?(path: string): unknown;
}

/** Runs rules 2 to 7 on a directory and on what would be served from it. */
export async function firewallFindings(file: ProviderFile, context: FirewallContext): Promise<FirewallFinding[]> {
  const findings: FirewallFinding[] = [];
  for (const provider of file.providers) {
    for (const member of Object.keys(provider)) {
      if (!MEMBERS.has(member))
        findings.push({ rule: 2, message: `"${member}" of "${provider.id}" has no place here` });
    }
  }
  for (const text of textsOf(file)) {
    if (context.looksLikeInjection(text)) findings.push({ rule: 3, message: 'a text instructs its reader' });
  }
  for (const { id, api_spec_file: path } of file.providers) {
    if (path !== undefined) findings.push(...apiFindings(id, context.readApiSpec?.(path), context));
  }
  for (const { id } of file.categories) findings.push(...(await orderFindings(file, id, context.nowMs)));
  return findings;
}

const MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'name',
  'category',
  'api_spec_url',
  'api_spec_file',
  'languages',
  'areas',
  'licence',
  'eligible',
  'billing',
]);

/** Agents read the API description: none of its texts may instruct them. */
function apiFindings(id: string, spec: unknown, context: FirewallContext): FirewallFinding[] {
  if (spec === undefined) return [{ rule: 3, message: `the API description of "${id}" cannot be read` }];
  return stringsOf(spec).some((text) => context.looksLikeInjection(text))
    ? [{ rule: 3, message: `the API description of "${id}" instructs its reader` }]
    : [];
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...stringsOf(member)]);
}

async function orderFindings(file: ProviderFile, category: string, nowMs: number): Promise<FirewallFinding[]> {
  const findings: FirewallFinding[] = [];
  const served = await idsServed(file, category, nowMs);
  const turned: ProviderFile = { ...file, providers: [...file.providers].reverse() };
  if (!isEqual(served, await idsServed(turned, category, nowMs))) {
    findings.push({ rule: 4, message: `the order in "${category}" follows the file` });
  }
  const unpaid: ProviderFile = { ...file, providers: file.providers.map(withoutBilling) };
  if (!isEqual(served, await idsServed(unpaid, category, nowMs))) {
    findings.push({ rule: 6, message: `the order in "${category}" follows the money` });
  }
  if (served.length === 1) findings.push({ rule: 5, message: `"${category}" shows a single provider` });
  const left = await idsServed(file, category, nowMs, new Set(served));
  if (left.length > 0) findings.push({ rule: 7, message: `"${left[0]}" is shown after its removal` });
  return findings;
}

async function idsServed(
  file: ProviderFile,
  category: string,
  nowMs: number,
  removed: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const source: ProviderSource = { directory: () => file, isRemoved: (id) => removed.has(id) };
  const providers = await listProviders(source, category, nowMs);
  return (providers ?? []).map((provider) => provider.id);
}

function withoutBilling(entry: ProviderEntry): ProviderEntry {
  const { billing: _, ...rest } = entry as ProviderEntry & { billing?: unknown };
  return rest;
}

function textsOf(file: ProviderFile): string[] {
  return [
    ...file.categories.map((category) => category.title),
    ...file.providers.flatMap(({ name, languages, areas, licence }) => [
      name,
      ...languages,
      ...areas,
      licence.number ?? '',
    ]),
  ];
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
