import { checkZone } from './check-zone.ts';
import { type CollapsePolicy, closeFor, effectiveCapabilities, isEligible, rankCandidates } from './collapse.ts';
import { skeleton } from './confusable.ts';
import { toUri } from './identity.ts';
import { parseZoneJson, readZoneText } from './read-zone.ts';
import type { Zone, ZoneIssue, ZoneSource } from './zone.ts';

export type LintedIssue = ZoneIssue & { readonly identity: string };

/** Checks zones by themselves and against each other, from their text alone: no endpoint is ever contacted. */
export function lintZones(zones: ZoneSource, names: readonly string[], policy: CollapsePolicy): LintedIssue[] {
  const lookalikes = groupBySkeleton(zones.names());
  return names.flatMap((name) => {
    const zone = zones.get(name);
    if (!zone) return [];
    const issues = lintZone(zones, zone, lookalikes.get(skeleton(name)) ?? [], policy);
    return issues.map((issue) => ({ identity: toUri(name), ...issue }));
  });
}

/** Checks one zone, stored or not, as if it were stored with the others. */
export function lintCandidate(zones: ZoneSource, name: string, zone: unknown, policy: CollapsePolicy): ZoneIssue[] {
  const candidate = readZoneText(name, JSON.stringify(zone) ?? 'null');
  const among: ZoneSource = {
    version: zones.version,
    get: (other) => (other === name ? candidate : zones.get(other)),
    names: () => zones.names(),
  };
  const lookalikes = zones.names().filter((other) => skeleton(other) === skeleton(name));
  return lintZone(among, candidate, lookalikes, policy);
}

function lintZone(zones: ZoneSource, zone: Zone, lookalikes: readonly string[], policy: CollapsePolicy): ZoneIssue[] {
  const issues: ZoneIssue[] = [];
  const json = parseZoneJson(zone.name, zone.text, issues);
  if (!json) return issues;
  issues.push(...checkZone(zone.name, json, policy));
  const others = lookalikes.filter((other) => other !== zone.name);
  if (others.length > 0) issues.push(warning('homograph', `The name looks like ${others.join(', ')}.`));
  if (zone.state === 'sound') issues.push(...lintCascade(zones, zone, policy), ...lintShadows(zones, zone, policy));
  issues.push(...lintDuplicates(zone));
  return issues;
}

function lintCascade(zones: ZoneSource, zone: Zone, policy: CollapsePolicy): ZoneIssue[] {
  const closure = closeFor(zones, zone, { name: zone.name }, policy);
  if (closure.ok) return [];
  const { reason, chain } = closure.failure;
  if (reason === 'no_resolver') {
    return [warning('remote_cascade', `It inherits from ${chain.at(-1)}, which lint does not ask for.`)];
  }
  const code = reason === 'unknown_identity' ? 'dangling_cascade' : `cascade_${reason}`;
  return [{ level: 'error', code, message: `It cannot be resolved: ${chain.join(' → ')} (${reason}).` }];
}

/** Records that no request can ever select: not eligible here, or behind one that offers at least as much. */
function lintShadows(zones: ZoneSource, zone: Zone, policy: CollapsePolicy): ZoneIssue[] {
  const closure = closeFor(zones, zone, { name: zone.name }, policy);
  if (!closure.ok) return [];
  const issues: ZoneIssue[] = [];
  const higher = new Map<string, ReadonlySet<string>>();
  for (const candidate of rankCandidates(closure.nodes)) {
    const { node, record } = candidate;
    const effective = effectiveCapabilities(candidate);
    const isOwn = node.depth === 0;
    if (!isEligible(candidate, { name: zone.name })) {
      if (isOwn) issues.push(warning('unreachable', 'CAPS allow none of what it declares.', record.position));
      continue;
    }
    const offers = new Set(effective);
    if (isOwn && [...higher.values()].some((others) => [...offers].every((one) => others.has(one)))) {
      issues.push(warning('shadowed', 'A record of higher rank is always selected instead.', record.position));
    }
    higher.set([...offers].join(), offers);
  }
  return issues;
}

function lintDuplicates(zone: Zone): ZoneIssue[] {
  const seen = new Set<string>();
  return zone.endpoints.flatMap(({ endpoint, position }) => {
    if (endpoint === undefined) return [];
    if (seen.has(endpoint)) return [warning('duplicate_endpoint', `The endpoint ${endpoint} stands twice.`, position)];
    seen.add(endpoint);
    return [];
  });
}

function groupBySkeleton(names: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const key = skeleton(name);
    const group = groups.get(key);
    if (group) group.push(name);
    else groups.set(key, [name]);
  }
  return groups;
}

function warning(code: string, message: string, record?: number): ZoneIssue {
  return { level: 'warning', code, ...(record === undefined ? {} : { record }), message };
}
