/** A policy file as parsed JSON; `undefined` stands for one that is bad. */
export type NaiveFile = Readonly<Record<string, unknown>> | undefined;

export interface NaiveHours {
  readonly from: string;
  readonly to: string;
  readonly days?: readonly string[];
  readonly time_zone: string;
}

interface NaiveRules {
  readonly approval_required?: boolean;
  readonly rate_per_minute?: number;
  readonly max_concurrency?: number;
  /** Only schemas of this form are made by the tests. */
  readonly arguments?: { readonly required: readonly string[] };
  readonly hours?: NaiveHours;
  readonly read_only?: boolean;
}

const LIMITS = ['rate_per_minute', 'max_concurrency'] as const;

export interface NaiveCircumstances {
  readonly given?: readonly string[] | undefined;
  readonly at?: number | undefined;
  /** What the server says of the tool. */
  readonly readOnly?: boolean;
}

/**
 * The policy decision a second time, as plainly as it can be said: on parsed JSON, without places. `given` are the names of
 * the members that the arguments have; undefined: the arguments are not judged. `at` is the time; undefined: hours are not judged.
 */
export function naiveDecision(
  layers: readonly NaiveFile[],
  server: string,
  tool: string,
  { given, at, readOnly = false }: NaiveCircumstances = {},
): { decision: string; rule: string; limits: Record<string, number> } {
  const verdicts = layers.map((layer) => naiveLayer(layer, server, tool, { given, at, readOnly }));
  const decided = verdicts.find(({ decision }) => decision === 'deny') ??
    verdicts.find(({ decision }) => decision === 'approval') ??
    verdicts[verdicts.length - 1] ?? { decision: 'allow', rule: 'no_policy' };
  const limits: Record<string, number> = {};
  for (const file of layers) {
    for (const rules of file === undefined ? [] : rulesOf(file, server, tool)) {
      for (const limit of LIMITS) {
        const value = rules[limit];
        if (value !== undefined && !(value >= (limits[limit] ?? Number.POSITIVE_INFINITY))) limits[limit] = value;
      }
    }
  }
  return { ...decided, limits };
}

/** Whether hours include what a clock of their zone shows, written as in Sweden: 2026-11-17 08:00. */
export function includesShown({ from, to, days }: NaiveHours, shown: string): boolean {
  const [date = '', time = ''] = [shown.slice(0, 10), shown.slice(11, 16)];
  const names = ['thu', 'fri', 'sat', 'sun', 'mon', 'tue', 'wed'];
  const today = Date.parse(date) / 86_400_000;
  const isDay = (day: number) => days === undefined || days.includes(names[((day % 7) + 7) % 7] as string);
  if (from < to) return isDay(today) && from <= time && time < to;
  return (isDay(today) && from <= time) || (isDay(today - 1) && time < to);
}

function shownAt({ time_zone }: NaiveHours, at: number): string {
  return new Date(at).toLocaleString('sv-SE', { timeZone: time_zone });
}

function naiveLayer(file: NaiveFile, server: string, tool: string, { given, at, readOnly }: NaiveCircumstances) {
  if (file === undefined) return { decision: 'deny', rule: 'policy_invalid' };
  const isNamed = (list: unknown) => (list as string[]).some((item) => item === tool || item === `${server}/${tool}`);
  const isListed = (list: unknown, name: string) => (list as string[]).some((item) => item === name || item === '*');
  const forbidden = memberOf(file, 'forbidden', 'forbidden_operations');
  if (forbidden !== undefined && isNamed(forbidden)) return { decision: 'deny', rule: 'forbidden' };
  if (!isListed(memberOf(file, 'servers', 'allowed_servers'), server))
    return { decision: 'deny', rule: 'server_not_listed' };
  const tools = own(memberOf(file, 'tools', 'allowed_tools'), server);
  if (tools !== undefined && !isListed(tools, tool)) return { decision: 'deny', rule: 'tool_not_listed' };
  const filter = memberOf(file, 'allowed_operations', 'allowed_operations');
  if (filter !== undefined && !isNamed(filter)) return { decision: 'deny', rule: 'tool_not_listed' };
  const rules = rulesOf(file, server, tool);
  const said = rules.map((rule) => rule.read_only).filter((value) => value !== undefined);
  const changes = said.length > 0 ? said.includes(false) : !readOnly;
  const writes = changes ? memberOf(file, 'writes', 'writes') : 'allow';
  if (writes === 'deny') return { decision: 'deny', rule: 'writes' };
  const hours = [{ hours: memberOf(file, 'hours', 'hours') as NaiveHours | undefined }, ...rules];
  if (at !== undefined && hours.some((rule) => rule.hours && !includesShown(rule.hours, shownAt(rule.hours, at))))
    return { decision: 'deny', rule: 'outside_hours' };
  const missing = rules.some((rule) => given && rule.arguments?.required.some((name) => !given.includes(name)));
  if (missing) return { decision: 'deny', rule: 'arguments' };
  if (rules.some((rule) => rule.approval_required === true)) return { decision: 'approval', rule: 'approval_required' };
  if (writes === 'ask') return { decision: 'approval', rule: 'writes' };
  return { decision: 'allow', rule: tools === undefined ? 'server_listed' : 'tool_listed' };
}

function rulesOf(file: NonNullable<NaiveFile>, server: string, tool: string): NaiveRules[] {
  const operations = memberOf(file, 'operations', 'operations');
  return [`${server}/${tool}`, tool].flatMap((key) => (own(operations, key) as NaiveRules | undefined) ?? []);
}

/** A member under its present or its old name, in the allowlist or beside it. */
function memberOf(file: NonNullable<NaiveFile>, name: string, oldName: string): unknown {
  const allowlist = own(file, 'allowlist');
  return own(allowlist, name) ?? own(allowlist, oldName) ?? own(file, oldName);
}

function own(object: unknown, key: string): unknown {
  if (typeof object !== 'object' || object === null) return undefined;
  return Object.keys(object).includes(key) ? (object as Record<string, unknown>)[key] : undefined;
}
