import type { ClosureNode } from './closure.ts';
import {
  type Candidate,
  type CollapsePolicy,
  type CollapseRequest,
  cascadeFailed,
  closeFor,
  collapseNodes,
  type Descriptor,
  effectiveCapabilities,
  findZone,
  isEligible,
  rankCandidates,
  usableEndpoint,
} from './collapse.ts';
import { toUri } from './identity.ts';
import { BIND_LIMITS } from './limits.ts';
import type { ZoneSource } from './zone.ts';

export type Verdict =
  | 'selected'
  /** It ranks first, but its endpoint may not be served. */
  | 'invalid_endpoint'
  | 'outranked'
  | 'capabilities_unknown'
  | 'capabilities_not_allowed'
  | 'capabilities_not_requested'
  /** A zone of the closure is missing, so nothing was picked. */
  | 'cascade_failed';

export interface ExplainedZone {
  readonly identity: string;
  readonly depth: number;
  readonly inherited_by?: string;
  readonly ttl: number;
  readonly allows?: readonly string[];
}

export interface ExplainedCandidate {
  readonly rank: number;
  readonly zone: string;
  /** Index in the records of its zone. */
  readonly record: number;
  readonly priority: number;
  readonly depth: number;
  readonly endpoint: string | null;
  /** Its effective capabilities; null if unknown. */
  readonly effective: readonly string[] | null;
  readonly verdict: Verdict;
  readonly why: string;
}

/** The steps of a collapse: the consulted zones, and for every candidate why it won or lost. */
export interface Trace {
  readonly zones: readonly ExplainedZone[];
  readonly candidates: readonly ExplainedCandidate[];
  /** Candidates beyond those listed. */
  readonly left_off?: number;
}

export interface Explanation extends Trace {
  readonly identity: string;
  readonly descriptor?: Descriptor;
  readonly failure?: Readonly<Record<string, unknown>>;
}

/** The collapse, with its reasons. The outcome equals that of `collapse` for the same arguments. */
export function explainCollapse(zones: ZoneSource, request: CollapseRequest, policy: CollapsePolicy): Explanation {
  const identity = toUri(request.name);
  const found = findZone(zones, request.name, policy);
  if (!found.ok) return { identity, failure: flat(found.failure), zones: [], candidates: [] };
  const closure = closeFor(zones, found.zone, request, policy);
  const outcome = closure.ok ? collapseNodes(closure.nodes, request, policy) : cascadeFailed(request.name, closure);
  const ranking = rankCandidates(closure.nodes);
  const listed = ranking.slice(0, BIND_LIMITS.candidatesMax);
  const selected = closure.ok ? ranking.find((candidate) => isEligible(candidate, request)) : undefined;
  return {
    identity,
    ...(outcome.ok ? { descriptor: outcome.descriptor } : { failure: flat(outcome.failure) }),
    zones: closure.nodes.map(explainZone),
    candidates: listed.map((candidate, index) => ({
      rank: index + 1,
      zone: toUri(candidate.node.zone.name),
      record: candidate.record.position,
      priority: candidate.record.priority,
      depth: candidate.node.depth,
      endpoint: candidate.record.endpoint ?? null,
      effective: effectiveCapabilities(candidate) ?? null,
      ...judge(candidate, selected, closure.ok, request, policy),
    })),
    ...(ranking.length > listed.length ? { left_off: ranking.length - listed.length } : {}),
  };
}

/** Only the trace, as `trace=1` adds it to an answer. */
export function traceCollapse(zones: ZoneSource, request: CollapseRequest, policy: CollapsePolicy): Trace {
  const { identity: _, descriptor: __, failure: ___, ...trace } = explainCollapse(zones, request, policy);
  return trace;
}

function judge(
  candidate: Candidate,
  selected: Candidate | undefined,
  isClosed: boolean,
  request: CollapseRequest,
  policy: CollapsePolicy,
): { verdict: Verdict; why: string } {
  if (!isClosed) return { verdict: 'cascade_failed', why: 'An upstream that cannot be had could outrank it.' };
  if (selected?.node === candidate.node && selected.record === candidate.record) {
    return usableEndpoint(candidate.record, policy) === undefined
      ? { verdict: 'invalid_endpoint', why: 'It ranks first, but its value is no HTTPS URL that may be served.' }
      : { verdict: 'selected', why: 'It is the first of its rank that has the capabilities.' };
  }
  if (isEligible(candidate, request))
    return { verdict: 'outranked', why: outrankedBy(candidate, selected as Candidate) };
  return whyNotEligible(candidate, request);
}

function whyNotEligible(candidate: Candidate, request: CollapseRequest): { verdict: Verdict; why: string } {
  const effective = effectiveCapabilities(candidate);
  if (effective === undefined) {
    return { verdict: 'capabilities_unknown', why: 'Neither the record nor its zone declares capabilities.' };
  }
  if (request.caps === undefined || effective.length === 0) {
    return { verdict: 'capabilities_not_allowed', why: 'CAPS on its way allow none of what it declares.' };
  }
  const missing = request.caps.filter((capability) => !effective.includes(capability));
  return { verdict: 'capabilities_not_requested', why: `It does not offer ${missing.join(', ')}.` };
}

function outrankedBy(loser: Candidate, winner: Candidate): string {
  if (loser.record.priority !== winner.record.priority) {
    return `Its priority ${loser.record.priority} is below ${winner.record.priority}.`;
  }
  if (loser.node.depth !== winner.node.depth) {
    return `Its priority is equal, but it is farther away: depth ${loser.node.depth} against ${winner.node.depth}.`;
  }
  return loser.node === winner.node
    ? `Its priority is equal, but it stands later in its zone: record ${loser.record.position} against ${winner.record.position}.`
    : `Its priority and depth are equal, but ${toUri(winner.node.zone.name)} is inherited from first.`;
}

function explainZone(node: ClosureNode): ExplainedZone {
  return {
    identity: toUri(node.zone.name),
    depth: node.depth,
    ...(node.parent && { inherited_by: toUri(node.parent.zone.name) }),
    ttl: node.zone.ttl,
    ...(node.zone.allowed && { allows: node.zone.allowed }),
  };
}

function flat(failure: { code: string; members: Readonly<Record<string, unknown>> }): Record<string, unknown> {
  return { code: failure.code, ...failure.members };
}
