import { intersect } from './capability.ts';
import { absenceOf, type Closure, type ClosureNode, closeOver, closeOverNothing } from './closure.ts';
import { toUri } from './identity.ts';
import { BIND_LIMITS } from './limits.ts';
import type { CascadeReason, McpRecord, Zone, ZoneSource } from './zone.ts';

/** A parsed request for a collapse. */
export interface CollapseRequest {
  /** Canonical name. */
  readonly name: string;
  /** Capabilities that the caller wants; undefined: any. */
  readonly caps?: readonly string[] | undefined;
  /** Whether one of them is enough, or all are needed. Default `any`. */
  readonly match?: 'any' | 'all' | undefined;
  /** Default `on`; `off` uses only the queried zone, and the answer says so. */
  readonly cascade?: 'on' | 'off' | undefined;
}

/** Settings of a resolver for all requests. */
export interface CollapsePolicy {
  readonly protectedNames: ReadonlySet<string>;
  readonly allowPrivateEndpoints: boolean;
}

/** The one endpoint of an identity, as a client needs it. */
export interface Descriptor {
  readonly identity: string;
  readonly mode: 'mcp';
  readonly endpoint: string;
  readonly capabilities?: readonly string[];
  readonly key?: string;
  /** Every key of the owner, if there are several: an old and a new one overlap. */
  readonly keys?: readonly string[];
  readonly ttl: number;
  /**
   * `delegated`: another resolver was asked now, `cache`: it was asked before. `stale`: a zone could not be read or refreshed
   * for `age` seconds.
   */
  readonly source: 'authoritative' | 'inherited' | 'delegated' | 'cache' | 'stale';
  readonly age?: number;
  /** The zone that owns the endpoint, if it is not the queried one. */
  readonly resolved_from?: string;
  readonly cascade?: 'off';
}

export type CollapseCode =
  | 'PROTECTED'
  | 'IDENTITY_NOT_FOUND'
  | 'ZONE_CORRUPT'
  | 'RESOLVER_UNKNOWN'
  | 'RESOLVER_FAILED'
  | 'CASCADE_FAILED'
  | 'NO_MCP_RECORDS'
  | 'CAPS_UNSATISFIED'
  | 'INVALID_ENDPOINT';

/** Why there is no descriptor; the members become members of the problem object. */
export interface CollapseFailure {
  readonly code: CollapseCode;
  readonly members: Readonly<Record<string, unknown>>;
}

export type Collapse =
  | { readonly ok: true; readonly descriptor: Descriptor }
  | { readonly ok: false; readonly failure: CollapseFailure };

/** One MCP record of the closure. */
export interface Candidate {
  readonly node: ClosureNode;
  readonly record: McpRecord;
}

/** The collapse: many records, one endpoint. A pure function of zones, request and policy. */
export function collapse(zones: ZoneSource, request: CollapseRequest, policy: CollapsePolicy): Collapse {
  const found = findZone(zones, request.name, policy);
  if (!found.ok) return found;
  const closure = closeFor(zones, found.zone, request, policy);
  return closure.ok ? collapseNodes(closure.nodes, request, policy) : cascadeFailed(request.name, closure);
}

/** The last steps, on a complete closure: filter, pick, emit. */
export function collapseNodes(
  nodes: readonly ClosureNode[],
  request: CollapseRequest,
  policy: CollapsePolicy,
): Collapse {
  if (nodes.every((node) => node.zone.endpoints.length === 0)) return failed('NO_MCP_RECORDS', request.name);
  const selected = selectCandidate(nodes, request);
  if (!selected) return capsUnsatisfied(nodes, request);
  const endpoint = usableEndpoint(selected.record, policy);
  if (endpoint === undefined) return failed('INVALID_ENDPOINT', request.name, { zone: toUri(selected.node.zone.name) });
  return { ok: true, descriptor: describe(selected, endpoint, nodes, request) };
}

/** The queried zone, or the failure that takes precedence over all others. */
export function findZone(
  zones: ZoneSource,
  name: string,
  policy: CollapsePolicy,
): { readonly ok: true; readonly zone: Zone } | { readonly ok: false; readonly failure: CollapseFailure } {
  if (policy.protectedNames.has(name)) return failed('PROTECTED', name);
  const zone = zones.get(name);
  return zone ? { ok: true, zone } : absent(name, absenceOf(zones, name));
}

/** The failure of a queried name that has no zone, here or at the resolver that it names. */
function absent(name: string, reason: CascadeReason): Collapse & { readonly ok: false } {
  if (reason === 'unknown_identity') return failed('IDENTITY_NOT_FOUND', name);
  if (reason === 'protected') return failed('PROTECTED', name);
  if (reason === 'corrupt') return corruptZone(name);
  return failed(reason === 'no_resolver' ? 'RESOLVER_UNKNOWN' : 'RESOLVER_FAILED', name, { reason });
}

export function closeFor(zones: ZoneSource, zone: Zone, request: CollapseRequest, policy: CollapsePolicy): Closure {
  return request.cascade === 'off' ? closeOverNothing(zone) : closeOver(zones, zone, policy.protectedNames);
}

export function cascadeFailed(name: string, closure: Closure & { readonly ok: false }): Collapse & { ok: false } {
  const { failure } = closure;
  // The chain ends at the failing zone: if its length is one, that is the queried zone itself.
  if (failure.reason === 'corrupt' && failure.chain.length === 1) return corruptZone(name);
  return failed('CASCADE_FAILED', name, { ...failure });
}

/** The failure of a queried zone that cannot be read in any mode. */
export function corruptZone(name: string): Collapse & { readonly ok: false } {
  return failed('ZONE_CORRUPT', name, { reason: 'corrupt', chain: [toUri(name)] });
}

/** The canonical URL of a record, if it may be served. */
export function usableEndpoint(record: McpRecord, policy: CollapsePolicy): string | undefined {
  return record.isPrivate && !policy.allowPrivateEndpoints ? undefined : record.endpoint;
}

/** The capabilities of a candidate: those that it declares, limited by every CAPS on its path; undefined if unknown. */
export function effectiveCapabilities({ node, record }: Candidate): readonly string[] | undefined {
  const declared = record.declared ?? node.zone.allowed;
  return declared && node.ceiling ? intersect(declared, node.ceiling) : declared;
}

export function isEligible(candidate: Candidate, request: CollapseRequest): boolean {
  const effective = effectiveCapabilities(candidate);
  const { caps } = request;
  // Unknown capabilities satisfy no constraint: accepting them would be a silent fallback.
  if (effective === undefined) return caps === undefined && candidate.node.ceiling === undefined;
  if (caps === undefined) return candidate.node.ceiling === undefined || effective.length > 0;
  return request.match === 'all'
    ? caps.every((capability) => effective.includes(capability))
    : caps.some((capability) => effective.includes(capability));
}

/** Every MCP record of the closure in its total order: priority, depth, visit order, position. */
export function rankCandidates(nodes: readonly ClosureNode[]): Candidate[] {
  // Nodes are in visit order and endpoints in rank order, so a stable sort by priority alone gives the total order.
  return nodes
    .flatMap((node) => node.zone.endpoints.map((record) => ({ node, record })))
    .sort((a, b) => b.record.priority - a.record.priority);
}

/** The first eligible candidate of the total order, found without sorting. */
function selectCandidate(nodes: readonly ClosureNode[], request: CollapseRequest): Candidate | undefined {
  let best: Candidate | undefined;
  for (const node of nodes) {
    for (const record of node.zone.endpoints) {
      // A farther record of equal priority loses, and so do all later records of its zone.
      if (best && record.priority <= best.record.priority) break;
      const candidate = { node, record };
      if (!isEligible(candidate, request)) continue;
      best = candidate;
      break;
    }
  }
  return best;
}

function describe(
  selected: Candidate,
  endpoint: string,
  nodes: readonly ClosureNode[],
  request: CollapseRequest,
): Descriptor {
  const owner = selected.node.zone;
  const capabilities = effectiveCapabilities(selected);
  return {
    identity: toUri(request.name),
    mode: 'mcp',
    endpoint,
    ...(capabilities && { capabilities }),
    ...(owner.keys[0] !== undefined && { key: owner.keys[0] }),
    ...(owner.keys.length > 1 && { keys: owner.keys }),
    ttl: leastTtl(selected, nodes),
    ...sourceOf(selected.node, nodes),
    ...(selected.node.depth > 0 && { resolved_from: toUri(owner.name) }),
    ...(request.cascade === 'off' && { cascade: 'off' }),
  };
}

function sourceOf({ zone, depth }: ClosureNode, nodes: readonly ClosureNode[]): Pick<Descriptor, 'source' | 'age'> {
  let age: number | undefined;
  for (const { remote } of nodes.map((node) => node.zone)) {
    if (remote?.isStale) age = Math.max(age ?? 0, remote.ageSeconds);
  }
  if (age !== undefined) return { source: 'stale', age };
  if (depth > 0) return { source: 'inherited' };
  if (!zone.remote) return { source: 'authoritative' };
  return { source: zone.remote.ageSeconds === 0 ? 'delegated' : 'cache' };
}

/** The smallest ttl of all consulted zones; for the owner, the ttl of its record counts if it has one. */
function leastTtl(selected: Candidate, nodes: readonly ClosureNode[]): number {
  let least = selected.record.ttl ?? selected.node.zone.ttl;
  for (const node of nodes) {
    if (node !== selected.node && node.zone.ttl < least) least = node.zone.ttl;
  }
  return least;
}

function capsUnsatisfied(nodes: readonly ClosureNode[], request: CollapseRequest): Collapse {
  const available = rankCandidates(nodes)
    .map(effectiveCapabilities)
    .filter((set) => set !== undefined)
    .slice(0, BIND_LIMITS.availableMax);
  return failed('CAPS_UNSATISFIED', request.name, { requested: request.caps ?? [], available });
}

function failed(
  code: CollapseCode,
  name: string,
  members: Readonly<Record<string, unknown>> = {},
): Collapse & { readonly ok: false } {
  return { ok: false, failure: { code, members: { identity: toUri(name), ...members } } };
}
