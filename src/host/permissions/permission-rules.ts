import { z } from 'zod';
import { isObject } from '../../contract/json.ts';
import type { ConfigLayer, Scope } from '../config/config-layer.ts';
import { mergeSettings } from '../config/merge-settings.ts';
import { PERMISSION_SETTINGS, PermissionRule } from '../config/settings/permission-settings.ts';
import { shapeOf } from '../config/settings/setting.ts';
import { compileGlob } from './glob.ts';

/** `permissions` of config.json. `projects` holds what a person always allows, by project folder. */
export const PermissionSettings = z.looseObject(shapeOf(PERMISSION_SETTINGS));

const LISTS = ['deny', 'allow', 'ask'] as const;
export type PermissionList = (typeof LISTS)[number];

/** The rules of all layers. */
export interface PermissionRules {
  readonly deny: readonly PermissionRule[];
  readonly allow: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
}

export const NO_RULES: PermissionRules = { deny: [], allow: [], ask: [] };

export interface LoadedRules {
  readonly rules: PermissionRules;
  readonly warnings: readonly string[];
}

const ASK_ALWAYS: PermissionRule = '*/*';

/**
 * The rules of the config files. A project can deny and ask; it cannot allow, except for what the user's own config remembers for its
 * folder. If a deny rule or a whole file is invalid, neither rules nor the mode allow anything, because the user may have denied
 * something there: every call asks until it is fixed.
 */
export function loadRules(layers: readonly ConfigLayer[], projectDir?: string): LoadedRules {
  const reading: Reading = { warnings: [], deniesUnread: layers.some(({ error }) => error !== undefined) };
  const sectionsOf = (scope: Scope) =>
    layers.filter((layer) => layer.scope === scope).map(({ value }) => value.permissions);
  const written = (scope: Scope) =>
    sectionsOf(scope).map((section) => rulesOf(section, `the ${scope} config`, reading));
  const remembered = sectionsOf('global').flatMap((section) => rememberedFor(projectDir, section, reading));
  const person = joinedRules([...written('global'), { ...NO_RULES, allow: remembered }]);
  const project = joinedRules(written('project'));
  if (project.allow.length > 0) {
    reading.warnings.push('permissions.allow of the project config is ignored: only your own config may allow tools');
  }
  const rules = mergeSettings('permissions', person, project);
  return {
    rules: reading.deniesUnread ? { ...rules, allow: [], ask: [ASK_ALWAYS] } : rules,
    warnings: reading.warnings,
  };
}

function joinedRules(all: readonly PermissionRules[]): PermissionRules {
  return {
    deny: all.flatMap(({ deny }) => deny),
    allow: all.flatMap(({ allow }) => allow),
    ask: all.flatMap(({ ask }) => ask),
  };
}

interface Reading {
  readonly warnings: string[];
  deniesUnread: boolean;
}

function rulesOf(section: unknown, where: string, reading: Reading): Record<PermissionList, PermissionRule[]> {
  const rules: Record<PermissionList, PermissionRule[]> = { deny: [], allow: [], ask: [] };
  for (const list of LISTS) {
    const written = isObject(section) ? section[list] : section;
    const items = Array.isArray(written) ? written : written === undefined ? [] : [undefined];
    for (const [index, item] of items.entries()) {
      const rule = PermissionRule.safeParse(item);
      if (rule.success) rules[list].push(rule.data);
      else reading.warnings.push(`permissions.${list}[${index}] of ${where} is no rule`);
      if (!rule.success && list === 'deny') reading.deniesUnread = true;
    }
  }
  return rules;
}

/** The calls that a person always allows in a folder. */
function rememberedFor(projectDir: string | undefined, section: unknown, reading: Reading): PermissionRule[] {
  const projects = isObject(section) ? section.projects : undefined;
  if (projectDir === undefined || !isObject(projects) || !Object.hasOwn(projects, projectDir)) return [];
  const { allow } = rulesOf(projects[projectDir], `the global config for ${projectDir}`, reading);
  return allow;
}

/** Whether a rule applies to this tool. */
export function ruleMatches(rule: PermissionRule, target: string, readOnly: boolean): boolean {
  if (typeof rule === 'string') return compileGlob(rule)(target);
  return (!rule.read_only || readOnly) && compileGlob(rule.match)(target);
}
