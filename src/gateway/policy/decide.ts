import { SURFACES, type Surface } from '../../contract/approval-surfaces.ts';
import { SCHEMA_LIMITS } from '../schema/limits.ts';
import { NotJudged, StepBudget } from '../schema/steps.ts';
import {
  type ArgumentFiles,
  type JudgedArguments,
  type RefusedArgument,
  refusedPath,
  refusedUrl,
} from './argument-places.ts';
import { type Hours, isWithin, nextOpening, zonedTime } from './hours.ts';
import {
  type Finding,
  type HoursRule,
  LIMIT_KEYS,
  type Limits,
  type OperationRules,
  type ParsedPolicy,
  type Place,
  type PolicyDocument,
  REMEMBER,
  type Remember,
} from './policy-document.ts';

export type LayerName = 'global' | 'project' | 'profile' | 'file';

/** One of the policies that a call has to pass; an invalid one denies everything. */
export interface PolicyLayer {
  readonly layer: LayerName;
  readonly file: string | null;
  readonly policy: ParsedPolicy;
}

export type Rule =
  | 'forbidden'
  | 'server_not_listed'
  | 'tool_not_listed'
  /** Allowed, but not at this time. */
  | 'outside_hours'
  /** The tool may change something, and policy denies such calls or asks for approval. */
  | 'writes'
  | 'arguments'
  /** Judging the arguments would exceed the step limit of a call. */
  | 'arguments_not_judged'
  | 'approval_required'
  | 'tool_listed'
  | 'server_listed'
  | 'no_policy'
  | 'policy_invalid';

/** Returns the time in milliseconds since the epoch. */
export type Now = () => number;

/** A call to judge, with original names. Without `arguments`, argument rules are not judged. */
export interface Attempt {
  readonly server: string;
  readonly tool: string;
  /** Called only if a rule has hours. Undefined: hours are ignored, as in tool lists, which do not change with the time. */
  readonly now: Now | undefined;
  /** Whether the server declares the tool as read-only; absent: unknown, and counts as a write. */
  readonly readOnly?: boolean;
  readonly arguments?: {
    readonly value: unknown;
    /** Called only if a rule judges paths or addresses. */
    files(): ArgumentFiles;
  };
}

/** The decision, with the rule that made it and the position of the rule. */
export interface Decision {
  readonly decision: 'allow' | 'deny' | 'approval';
  readonly rule: Rule;
  readonly layer: LayerName | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly pointer: string | null;
  readonly reason: string | null;
  readonly limits: Limits;
  readonly server: string;
  readonly tool: string;
  readonly unchecked: readonly 'arguments'[];
  readonly errors?: readonly Pick<Finding, 'line' | 'pointer' | 'message'>[];
  /** The argument that the rule `arguments` refused. */
  readonly refused?: RefusedArgument;
  /** For the rule `outside_hours`: when all rules allow the call again, with the offset of the rule's time zone; null: not soon. */
  readonly opens_at?: string | null;
}

/** A decision with the constraints for approving and sending the call. */
export interface Judgement {
  readonly decision: Decision;
  readonly remember: Remember;
  /** The surfaces on which policy lets a person approve; caller and profile may narrow them further. */
  readonly surfaces: readonly Surface[];
  /** The decision depends on the arguments: they must be sent exactly as judged. */
  readonly judgesArguments: boolean;
  /** The decision depends on the time: it must not be reused later. */
  readonly judgesTime: boolean;
}

interface Verdict {
  readonly decision: Decision['decision'];
  readonly rule: Rule;
  readonly place: Place | undefined;
  readonly reason: string | undefined;
  readonly refused?: RefusedArgument;
  /** The hours that exclude the current time. */
  readonly closed?: Hours;
  /** Argument rules exist, but no arguments were given. */
  readonly isUnchecked?: boolean;
}

/** Judges a call by all layers. Each decides alone: deny in any layer denies, otherwise approval in any requires approval. */
export function judge(layers: readonly PolicyLayer[], attempt: Attempt): Judgement {
  const rules = layers.flatMap(({ policy }) => operationRules(policy.document, attempt));
  const hours = [...policyHours(layers), ...rules.flatMap((rule) => rule.hours ?? [])];
  const at = hours.length > 0 ? attempt.now?.() : undefined;
  const judged = withBudget(attempt);
  const { reported, verdict, isUnchecked } = reportedLayer(layers, ({ document }) => decideLayer(document, judged, at));
  const judgesArguments =
    verdict.decision === 'approval' || rules.some((rule) => hasArgumentRules(rule) || rule.approval !== undefined);
  return {
    decision: {
      ...describe(reported, verdict),
      limits: smallestLimits(rules),
      server: attempt.server,
      tool: attempt.tool,
      unchecked: isUnchecked ? ['arguments'] : [],
      ...(verdict.rule === 'policy_invalid' ? { errors: errorsOf(reported) } : {}),
      ...(verdict.refused ? { refused: verdict.refused } : {}),
      ...openingMember(verdict, hours, at),
    },
    remember: strictestRemember(rules),
    surfaces: SURFACES.filter((surface) => rules.every((rule) => rule.surfaces?.includes(surface) ?? true)),
    judgesArguments,
    judgesTime: hours.length > 0,
  };
}

/** Whether a call is denied at any time: like `judge` without hours, and without a description. */
export function isDenied(layers: readonly PolicyLayer[], attempt: Omit<Attempt, 'now'>): boolean {
  const judged = withBudget(attempt);
  return layers.some(({ policy }) => decideLayer(policy.document, judged, undefined).decision === 'deny');
}

/** An attempt whose arguments all layers and rules judge with one budget of steps. */
type JudgedAttempt = Omit<Attempt, 'now' | 'arguments'> & {
  readonly arguments?: NonNullable<Attempt['arguments']> & Pick<JudgedArguments, 'budget'>;
};

function withBudget({ arguments: given, ...attempt }: Omit<Attempt, 'now'>): JudgedAttempt {
  if (!given) return attempt;
  const budget = new StepBudget(SCHEMA_LIMITS.stepsMax);
  return { ...attempt, arguments: { value: given.value, files: () => given.files(), budget } };
}

/** Judges prompts and resources of a server. Policy rules are about tools, so only its server list and hours apply. */
export function judgeServer(layers: readonly PolicyLayer[], server: string, now: Now | undefined): Judgement {
  const hours = policyHours(layers);
  const at = hours.length > 0 ? now?.() : undefined;
  const { reported, verdict } = reportedLayer(layers, ({ document }) => {
    if (!document) return verdictOf('deny', 'policy_invalid', undefined);
    const listed = listedServer(document, server);
    if (!listed) return verdictOf('deny', 'server_not_listed', document.servers);
    return outsideHours(document.hours, at) ?? verdictOf('allow', 'server_listed', listed);
  });
  return {
    decision: {
      ...describe(reported, verdict),
      limits: {},
      server,
      tool: '',
      unchecked: [],
      ...openingMember(verdict, hours, at),
    },
    remember: 'never',
    surfaces: SURFACES,
    judgesArguments: false,
    judgesTime: hours.length > 0,
  };
}

/** The verdict, with the position of its rule. */
function describe(reported: PolicyLayer | undefined, verdict: Verdict) {
  return {
    decision: verdict.decision,
    rule: verdict.rule,
    layer: reported?.layer ?? null,
    file: reported?.file ?? null,
    line: verdict.place?.line ?? null,
    pointer: verdict.place?.pointer ?? null,
    reason: verdict.reason ?? null,
  };
}

/** The first layer that denies, else the first that requires approval, else the last. */
function reportedLayer(
  layers: readonly PolicyLayer[],
  decide: (policy: ParsedPolicy) => Verdict,
): { reported: PolicyLayer | undefined; verdict: Verdict; isUnchecked: boolean } {
  const verdicts = layers.map((layer) => ({ reported: layer, verdict: decide(layer.policy) }));
  const chosen = verdicts.find(({ verdict }) => verdict.decision === 'deny') ??
    verdicts.find(({ verdict }) => verdict.decision === 'approval') ??
    verdicts.at(-1) ?? {
      reported: undefined,
      verdict: { decision: 'allow', rule: 'no_policy', place: undefined, reason: undefined } as const,
    };
  return { ...chosen, isUnchecked: verdicts.some(({ verdict }) => verdict.isUnchecked) };
}

function decideLayer(document: PolicyDocument | undefined, attempt: JudgedAttempt, at: number | undefined): Verdict {
  if (!document) return verdictOf('deny', 'policy_invalid', undefined);
  const matches = (entry: { value: string }) =>
    entry.value === attempt.tool || entry.value === `${attempt.server}/${attempt.tool}`;

  const forbidden = document.forbidden.find(matches);
  if (forbidden) return verdictOf('deny', 'forbidden', forbidden);

  const server = listedServer(document, attempt.server);
  if (!server) return verdictOf('deny', 'server_not_listed', document.servers);

  const tools = document.tools.get(attempt.server);
  const tool = tools?.entries.find(({ value }) => value === attempt.tool || value === '*');
  if (tools && !tool) return verdictOf('deny', 'tool_not_listed', tools);
  const filter = document.allowedOperations;
  if (filter && !filter.entries.some(matches)) return verdictOf('deny', 'tool_not_listed', filter);

  const rules = operationRules(document, attempt);
  const writes = isWrite(rules, attempt) ? document.writes : undefined;
  if (writes?.writes === 'deny') return verdictOf('deny', 'writes', writes, WRITES_DENIED);
  const closed = outsideHours(document.hours, at);
  if (closed) return closed;
  for (const { hours, reason } of rules) {
    const closedTool = outsideHours(hours, at, reason);
    if (closedTool) return closedTool;
  }
  for (const rule of rules) {
    const violated = attempt.arguments && violatedArgumentRule(rule, attempt.arguments);
    if (violated)
      return { ...verdictOf('deny', violated.rule, violated.place, rule.reason), refused: violated.refused };
  }
  const isUnchecked = attempt.arguments === undefined && rules.some(hasArgumentRules);
  const asking = rules.find((rule) => rule.approval);
  if (asking) return { ...verdictOf('approval', 'approval_required', asking.approval, asking.reason), isUnchecked };
  if (writes?.writes === 'ask') return { ...verdictOf('approval', 'writes', writes, WRITES_ASKED), isUnchecked };
  const allowed = tool ? verdictOf('allow', 'tool_listed', tool) : verdictOf('allow', 'server_listed', server);
  return isUnchecked ? { ...allowed, isUnchecked } : allowed;
}

const WRITES_ASKED = 'its server does not say that the tool only reads';
const WRITES_DENIED = `${WRITES_ASKED}; an operation with read_only: true lets it through`;

/** Whether a tool may change something: by its rules, if any (`read_only: false` wins), else by its server's declaration. */
function isWrite(rules: readonly OperationRules[], { readOnly = false }: Pick<Attempt, 'readOnly'>): boolean {
  if (rules.some((rule) => rule.readOnly === false)) return true;
  return !(readOnly || rules.some((rule) => rule.readOnly === true));
}

function policyHours(layers: readonly PolicyLayer[]): HoursRule[] {
  return layers.flatMap(({ policy }) => policy.document?.hours ?? []);
}

/** Denies if the hours exclude the time. */
function outsideHours(rule: HoursRule | undefined, at: number | undefined, reason?: string): Verdict | undefined {
  if (!rule || at === undefined || isWithin(rule.hours, at)) return undefined;
  return { ...verdictOf('deny', 'outside_hours', rule, reason), closed: rule.hours };
}

/** When the hours of all layers will next allow a call that came outside of them. */
function openingMember(
  { closed }: Verdict,
  rules: readonly HoursRule[],
  at: number | undefined,
): Pick<Decision, 'opens_at'> {
  if (!closed || at === undefined) return {};
  const all = rules.map(({ hours }) => hours);
  const opening = nextOpening(all, at);
  return { opens_at: opening === undefined ? null : zonedTime(closed.timeZone, opening) };
}

/** The first entry that is the server's name or `*`. */
function listedServer({ servers }: PolicyDocument, server: string): Place | undefined {
  const places = placesOf(servers.entries);
  const [named, star] = [places.get(server), places.get('*')];
  const isNamedFirst = named !== undefined && (star === undefined || named < star);
  return servers.entries[(isNamedFirst ? named : star) ?? -1];
}

type Entries = PolicyDocument['servers']['entries'];

/** Caches the first index of each value, because a tool list judges every tool of every server. */
const placesByEntries = new WeakMap<Entries, ReadonlyMap<string, number>>();

function placesOf(entries: Entries): ReadonlyMap<string, number> {
  const known = placesByEntries.get(entries);
  if (known) return known;
  const places = new Map<string, number>();
  entries.forEach(({ value }, index) => {
    if (!places.has(value)) places.set(value, index);
  });
  placesByEntries.set(entries, places);
  return places;
}

function verdictOf(decision: Verdict['decision'], rule: Rule, place: Place | undefined, reason?: string): Verdict {
  return { decision, rule, place, reason };
}

/** `operations["server/tool"]`, then `operations["tool"]`. */
function operationRules(
  document: PolicyDocument | undefined,
  { server, tool }: Pick<Attempt, 'server' | 'tool'>,
): OperationRules[] {
  return [`${server}/${tool}`, tool].flatMap((key) => document?.operations.get(key) ?? []);
}

interface ViolatedRule {
  readonly rule: 'arguments' | 'arguments_not_judged';
  readonly place: Place;
  readonly refused: RefusedArgument;
}

function violatedArgumentRule(
  { arguments: schema, allowedRoots, allowedDomains }: OperationRules,
  { value, files, budget }: NonNullable<JudgedAttempt['arguments']>,
): ViolatedRule | undefined {
  const violated = schema && violatedSchema(schema, value, budget);
  if (violated) return violated;
  if (!allowedRoots && !allowedDomains) return undefined;
  const judged = { value, files: files(), budget };
  return (
    (allowedRoots && violatedPlaces(allowedRoots, () => refusedPath(judged, allowedRoots))) ??
    (allowedDomains && violatedPlaces(allowedDomains, () => refusedUrl(judged, allowedDomains, allowedRoots)))
  );
}

function violatedPlaces(place: Place, judge: () => RefusedArgument | undefined): ViolatedRule | undefined {
  try {
    const refused = judge();
    return refused && { rule: 'arguments', place, refused };
  } catch (thrown) {
    if (!(thrown instanceof NotJudged)) throw thrown;
    const why = `judging the paths and addresses in the arguments takes more than ${SCHEMA_LIMITS.stepsMax} steps`;
    return { rule: 'arguments_not_judged', place, refused: { pointer: null, value: null, read_as: null, why } };
  }
}

function violatedSchema(
  schema: NonNullable<OperationRules['arguments']>,
  value: unknown,
  budget: StepBudget,
): ViolatedRule | undefined {
  const { failures, unjudged } = schema.judge(value, 1, budget);
  const [failure] = failures;
  const refused = (why: string) => ({ pointer: null, value: null, read_as: null, why });
  if (failure) {
    const why = `${failure.pointer || 'the arguments'} ${failure.message}`;
    return { rule: 'arguments', place: schema, refused: refused(why) };
  }
  if (unjudged === undefined) return undefined;
  const why = `judging the arguments by this schema takes more than ${SCHEMA_LIMITS.stepsMax} steps`;
  return { rule: 'arguments_not_judged', place: schema, refused: refused(why) };
}

function hasArgumentRules(rule: OperationRules): boolean {
  return rule.arguments !== undefined || rule.allowedRoots !== undefined || rule.allowedDomains !== undefined;
}

function smallestLimits(rules: readonly OperationRules[]): Limits {
  const limits: Record<string, number> = {};
  for (const key of LIMIT_KEYS) {
    const values = rules.flatMap((rule) => rule.limits[key] ?? []);
    if (values.length > 0) limits[key] = Math.min(...values);
  }
  return limits;
}

/** Approvals may be remembered only if every operation that requires approval for the tool allows it; the default is never. */
function strictestRemember(rules: readonly OperationRules[]): Remember {
  const asked = rules.filter((rule) => rule.approval ?? rule.remember);
  if (asked.length === 0) return 'never';
  const ranks = asked.map((rule) => REMEMBER.indexOf(rule.remember ?? 'never'));
  return REMEMBER[Math.min(...ranks)] ?? 'never';
}

function errorsOf(layer: PolicyLayer | undefined): NonNullable<Decision['errors']> {
  return (layer?.policy.findings ?? [])
    .filter(({ level }) => level === 'error')
    .map(({ line, pointer, message }) => ({ line, pointer, message }));
}
