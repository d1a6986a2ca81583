import { isRendered } from '../config.ts';
import type { CorpusIssue, CorpusWarning } from './issue.ts';
import type { ParsedPath } from './parse-path.ts';
import type { ParsedSkill } from './parse-skill.ts';

/** The references between the files of a corpus. */
export interface EdgeContext {
  readonly skills: ReadonlyMap<string, ParsedSkill>;
  readonly paths: ReadonlyMap<string, ParsedPath>;
  readonly values: ReadonlySet<string>;
  readonly references: ReadonlySet<string>;
  /** Categories of the provider directory; undefined without a directory. */
  readonly categories: ReadonlySet<string> | undefined;
}

/** Finds edges, tags and citations with a missing target. */
export function checkEdges(context: EdgeContext): { issues: CorpusIssue[]; warnings: CorpusWarning[] } {
  const issues: CorpusIssue[] = [];
  const warnings: CorpusWarning[] = [];
  for (const [id, skill] of context.skills) {
    const path = skill.file.path;
    for (const edge of skill.matter?.requires ?? []) {
      const target = context.skills.get(edge.id);
      if (!target)
        issues.push({ code: 'unknown_requires', path, message: `requires "${edge.id}", which does not exist` });
      else if (isVisible(skill) && !isVisible(target)) warnings.push(droppedEdge(path, edge.id));
    }
    for (const edge of skill.matter?.requires_paths ?? []) {
      const target = context.paths.get(edge.id);
      if (!target) issues.push(deadReference(path, `path "${edge.id}"`));
      else if (isVisible(skill) && !(target.matter && isRendered(target.matter.status))) {
        warnings.push(droppedEdge(path, edge.id));
      }
    }
    const supersedes = skill.matter?.supersedes;
    if (supersedes !== undefined && (supersedes === id || !context.skills.has(supersedes))) {
      issues.push(deadReference(path, `superseded skill "${supersedes}"`));
    }
    checkTags(skill, context, issues, warnings);
  }
  for (const cycle of findCycles(context.skills)) {
    const path = context.skills.get(cycle[0] as string)?.file.path ?? '';
    issues.push({ code: 'cyclic_requires', path, message: `requires itself: ${cycle.slice(0, 20).join(' → ')}` });
  }
  return { issues, warnings };
}

function checkTags(skill: ParsedSkill, context: EdgeContext, issues: CorpusIssue[], warnings: CorpusWarning[]): void {
  const path = skill.file.path;
  for (const { name, kind, attributes } of skill.tags) {
    if (kind === 'close') continue;
    const target = attributes.id ?? attributes.skill ?? '';
    if (name === 'Skill' || name === 'Observations') {
      if (!context.skills.has(target)) issues.push(deadReference(path, `skill "${target}"`));
    } else if (name === 'Path') {
      if (!context.paths.has(target)) issues.push(deadReference(path, `path "${target}"`));
    } else if (name === 'Ref') {
      if (attributes.uid !== undefined && !context.references.has(attributes.uid)) {
        issues.push(deadReference(path, `reference "${attributes.uid}"`));
      }
    } else if (name === 'VV') {
      if (!context.values.has(attributes.uid ?? '')) {
        warnings.push({
          code: 'unresolved_value',
          path,
          message: `value "${attributes.uid ?? ''}" is not in the catalogue`,
        });
      }
    } else if (name === 'Providers' && context.categories && !context.categories.has(attributes.category ?? '')) {
      warnings.push({
        code: 'unknown_category',
        path,
        message: `category "${attributes.category ?? ''}" has no directory`,
      });
    }
  }
}

/** One list of ids per cycle, starting and ending with its smallest id. */
function findCycles(skills: ReadonlyMap<string, ParsedSkill>): string[][] {
  if (isAcyclic(skills)) return [];
  const done = new Set<string>();
  const cycles: string[][] = [];
  for (const root of [...skills.keys()].sort()) {
    if (done.has(root)) continue;
    const trail: string[] = [];
    const onTrail = new Map<string, number>();
    const pending: (string | { leave: string })[] = [root];
    for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
      if (typeof item === 'object') {
        onTrail.delete(item.leave);
        trail.pop();
        done.add(item.leave);
        continue;
      }
      const at = onTrail.get(item);
      if (at !== undefined) {
        cycles.push(fromSmallest(trail.slice(at)));
        continue;
      }
      if (done.has(item)) continue;
      onTrail.set(item, trail.length);
      trail.push(item);
      pending.push({ leave: item });
      for (const edge of skills.get(item)?.matter?.requires ?? []) if (skills.has(edge.id)) pending.push(edge.id);
    }
  }
  return cycles;
}

/** Repeatedly removes skills that no other skill requires; only cycles remain. */
function isAcyclic(skills: ReadonlyMap<string, ParsedSkill>): boolean {
  const parents = new Map<string, number>();
  for (const skill of skills.values()) {
    for (const { id } of skill.matter?.requires ?? []) parents.set(id, (parents.get(id) ?? 0) + 1);
  }
  const free = [...skills.keys()].filter((id) => !parents.has(id));
  let taken = 0;
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    taken += 1;
    for (const edge of skills.get(id)?.matter?.requires ?? []) {
      const left = (parents.get(edge.id) ?? 0) - 1;
      parents.set(edge.id, left);
      if (left === 0 && skills.has(edge.id)) free.push(edge.id);
    }
  }
  return taken === skills.size;
}

function fromSmallest(cycle: readonly string[]): string[] {
  const smallest = cycle.indexOf([...cycle].sort()[0] as string);
  const turned = [...cycle.slice(smallest), ...cycle.slice(0, smallest)];
  return [...turned, turned[0] as string];
}

function isVisible(skill: ParsedSkill): boolean {
  return skill.matter !== undefined && isRendered(skill.matter.status);
}

function deadReference(path: string, what: string): CorpusIssue {
  return { code: 'dead_reference', path, message: `names the ${what}, which does not exist` };
}

function droppedEdge(path: string, id: string): CorpusWarning {
  return { code: 'edge_dropped', path, message: `the edge to "${id}" is not shown, because "${id}" is not` };
}
