import { intersect } from './capability.ts';
import { toUri } from './identity.ts';
import { BIND_LIMITS } from './limits.ts';
import type { CascadeReason, Zone, ZoneSource } from './zone.ts';

/** Why the closure of a zone is incomplete, with the path from the queried zone to the failing one. */
export interface CascadeFailure {
  readonly reason: CascadeReason;
  readonly chain: readonly string[];
}

/** A zone in the closure of the queried one, at its least depth. */
export interface ClosureNode {
  readonly zone: Zone;
  readonly depth: number;
  /** The zone that first brought it in; undefined for the queried one. */
  readonly parent: ClosureNode | undefined;
  /** The capabilities that all CAPS between here and the queried zone allow; undefined if there are no CAPS. */
  readonly ceiling: readonly string[] | undefined;
}

export type Closure =
  | { readonly ok: true; readonly nodes: readonly ClosureNode[] }
  | { readonly ok: false; readonly failure: CascadeFailure; readonly nodes: readonly ClosureNode[] };

/**
 * The queried zone and all that it inherits from, breadth first, every zone once. Strict: one missing upstream
 * fails the whole closure, because it could have outranked the rest.
 */
export function closeOver(zones: ZoneSource, queried: Zone, protectedNames: ReadonlySet<string>): Closure {
  const root: ClosureNode = { zone: queried, depth: 0, parent: undefined, ceiling: queried.allowed };
  const nodes = [root];
  if (queried.state !== 'sound') return fail(nodes, 'corrupt', root);
  if (queried.cascades.length === 0) return { ok: true, nodes };
  const seen = new Set([queried.name]);
  let isTree = true;
  // The list grows during the loop: it is the breadth-first queue.
  for (const node of nodes) {
    if (node.zone.cascades.length > BIND_LIMITS.cascadesPerZoneMax) return fail(nodes, 'fanout', node);
    for (const { target, value } of node.zone.cascades) {
      if (target !== undefined && seen.has(target)) {
        isTree = false;
        continue;
      }
      if (node.depth === BIND_LIMITS.cascadeDepthMax) return fail(nodes, 'depth', node, target ?? value);
      if (target === undefined) return fail(nodes, 'unknown_identity', node, value);
      if (protectedNames.has(target)) return fail(nodes, 'protected', node, target);
      const zone = zones.get(target);
      if (zone === undefined) return fail(nodes, absenceOf(zones, target), node, target);
      if (zone.state !== 'sound') return fail(nodes, 'corrupt', node, target);
      if (nodes.length === BIND_LIMITS.zonesPerResolutionMax) return fail(nodes, 'fanout', node, target);
      seen.add(target);
      nodes.push({ zone, depth: node.depth + 1, parent: node, ceiling: lower(node.ceiling, zone.allowed) });
    }
  }
  const cycle = isTree ? undefined : findCycle(nodes);
  return cycle ? { ok: false, failure: { reason: 'cycle', chain: cycle.map(toUri) }, nodes } : { ok: true, nodes };
}

/** Why there is no zone of this name. For a name at another resolver: `no_resolver` if none is configured at all. */
export function absenceOf(zones: ZoneSource, name: string): CascadeReason {
  return zones.absence?.(name) ?? (name.includes('@') ? 'no_resolver' : 'unknown_identity');
}

/** The queried zone alone, for `cascade=off`. */
export function closeOverNothing(queried: Zone): Closure {
  const root: ClosureNode = { zone: queried, depth: 0, parent: undefined, ceiling: queried.allowed };
  return queried.state === 'sound' ? { ok: true, nodes: [root] } : fail([root], 'corrupt', root);
}

/** Inheritance attenuates, it never widens. */
function lower(
  ceiling: readonly string[] | undefined,
  allowed: readonly string[] | undefined,
): readonly string[] | undefined {
  return ceiling && allowed ? intersect(ceiling, allowed) : (ceiling ?? allowed);
}

/** The first cycle, depth first in cascade order. A zone that two paths reach is not a cycle. */
function findCycle(nodes: readonly ClosureNode[]): readonly string[] | undefined {
  const zones = new Map(nodes.map((node) => [node.zone.name, node.zone]));
  const finished = new Set<string>();
  const way: string[] = [];
  const visit = (name: string): boolean => {
    if (way.includes(name)) {
      way.push(name);
      return true;
    }
    if (finished.has(name)) return false;
    way.push(name);
    for (const { target } of zones.get(name)?.cascades ?? []) {
      if (target !== undefined && visit(target)) return true;
    }
    way.pop();
    finished.add(name);
    return false;
  };
  return visit(nodes[0]?.zone.name as string) ? way : undefined;
}

function fail(nodes: readonly ClosureNode[], reason: CascadeReason, at: ClosureNode, target?: string): Closure {
  const chain = target === undefined ? [] : [target.startsWith('ai://') ? target : toUri(target)];
  for (let node: ClosureNode | undefined = at; node; node = node.parent) chain.unshift(toUri(node.zone.name));
  return { ok: false, failure: { reason, chain }, nodes };
}
