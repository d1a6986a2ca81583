import { z } from 'zod';
import type { ConfigLayer } from '../config/config-layer.ts';
import { compileGlob } from './glob.ts';

/** A rule as it stands in config: a glob on `server/tool`, or one that holds for read-only tools alone. */
export const PermissionRule = z.union([
  z.string().min(1),
  z.strictObject({ match: z.string().min(1), read_only: z.boolean() }),
]);
export type PermissionRule = z.output<typeof PermissionRule>;

const LISTS = ['deny', 'allow', 'ask'] as const;
export type PermissionList = (typeof LISTS)[number];

/** Rules of all layers together. */
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
 * The rules of the config files, joined. Where a deny rule or a whole file cannot be read, nothing is allowed by rule or by
 * mode: the person may have forbidden something there, so every call asks until it is mended.
 */
export function loadRules(layers: readonly ConfigLayer[]): LoadedRules {
  const rules: Record<PermissionList, PermissionRule[]> = { deny: [], allow: [], ask: [] };
  const warnings: string[] = [];
  let deniesUnread = false;
  for (const { scope, value, error } of layers) {
    if (error !== undefined) deniesUnread = true;
    const section = value.permissions;
    for (const list of LISTS) {
      const written = isObject(section) ? section[list] : section;
      for (const [index, item] of (Array.isArray(written)
        ? written
        : written === undefined
          ? []
          : [undefined]
      ).entries()) {
        const rule = PermissionRule.safeParse(item);
        if (rule.success) rules[list].push(rule.data);
        else warnings.push(`permissions.${list}[${index}] of the ${scope} config is no rule`);
        if (!rule.success && list === 'deny') deniesUnread = true;
      }
    }
  }
  return { rules: deniesUnread ? { ...rules, allow: [], ask: [ASK_ALWAYS] } : rules, warnings };
}

/** Whether a rule speaks of this tool. */
export function ruleMatches(rule: PermissionRule, target: string, readOnly: boolean): boolean {
  if (typeof rule === 'string') return compileGlob(rule)(target);
  return (!rule.read_only || readOnly) && compileGlob(rule.match)(target);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
