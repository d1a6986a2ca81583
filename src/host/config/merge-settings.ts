import { isObject, type JsonObject } from '../../contract/json.ts';
import type { ListedSetting } from './settings/setting.ts';
import { SETTINGS } from './settings-table.ts';

const BY_PATH: ReadonlyMap<string, ListedSetting> = new Map(SETTINGS.map((setting) => [setting.path, setting]));

/** Paths that contain settings but are none themselves, such as `gateway.limits`. */
const SECTIONS: ReadonlySet<string> = new Set(
  SETTINGS.flatMap(({ path }) => {
    const names = path.split('.');
    return names.map((_, length) => names.slice(0, length).join('.'));
  }),
);

/**
 * The effective settings of a section, by the settings table. This is the only place that merges a project's config with the user's.
 * `path` is the section's path in the table.
 */
export function mergeSettings<Section extends object>(path: string, person: Section, project: Section): Section {
  // Each rule returns a value of the same type, so the section keeps its shape.
  return mergeMembers(path, membersOf(person), membersOf(project)) as Section;
}

function mergeMembers(path: string, person: JsonObject, project: JsonObject): JsonObject {
  const names = new Set([...Object.keys(person), ...Object.keys(project)]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = mergeMember(memberPath(path, name), person[name], project[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Whether a project cannot set any setting at or below this path. */
export function isGlobalOnly(path: string): boolean {
  const settings = SETTINGS.filter((setting) => setting.path === path || setting.path.startsWith(`${path}.`));
  return settings.every(({ project }) => project.direction === 'global_only');
}

/** The path of a member in the table. */
export function memberPath(path: string, name: string): string {
  if (path === '') return name;
  return SECTIONS.has(`${path}.*`) ? `${path}.*` : `${path}.${name}`;
}

function mergeMember(path: string, person: unknown, project: unknown): unknown {
  const rule = BY_PATH.get(path)?.project;
  if (rule?.direction === 'narrows') return rule.narrow(person, project);
  // A project's entry takes over no other members of the user's entry.
  if (rule?.direction === 'adds_untrusted') return project;
  if (rule !== undefined || project === undefined || !SECTIONS.has(path)) return person;
  // A project cannot add names such as `gateway.profiles.dev`; the user's config must have them.
  if (path.endsWith('.*') && person === undefined && !addsUntrusted(path)) return undefined;
  return isObject(project) ? mergeMembers(path, isObject(person) ? person : {}, project) : person;
}

function addsUntrusted(path: string): boolean {
  return SETTINGS.some((setting) => {
    return setting.path.startsWith(`${path}.`) && setting.project.direction === 'adds_untrusted';
  });
}

function membersOf(value: object): JsonObject {
  return Object.fromEntries(Object.entries(value));
}
