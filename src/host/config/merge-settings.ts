import { isObject, type JsonObject } from '../../contract/json.ts';
import type { ListedSetting } from './settings/setting.ts';
import { SETTINGS } from './settings-table.ts';

const BY_PATH: ReadonlyMap<string, ListedSetting> = new Map(SETTINGS.map((setting) => [setting.path, setting]));

/** Paths that hold settings and are none themselves, such as `gateway.limits`. */
const SECTIONS: ReadonlySet<string> = new Set(
  SETTINGS.flatMap(({ path }) => {
    const names = path.split('.');
    return names.map((_, length) => names.slice(0, length).join('.'));
  }),
);

/**
 * What is in force of a section of config.json, by the settings table. This is the only place where the config of a project
 * meets the person's own. `path` names the section as the table does.
 */
export function mergeSettings<Section extends object>(path: string, person: Section, project: Section): Section {
  // Each record gives a value of the kind that it got: the section keeps its shape.
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

/** Whether a project has no say in a setting or in all of a section. */
export function isGlobalOnly(path: string): boolean {
  const settings = SETTINGS.filter((setting) => setting.path === path || setting.path.startsWith(`${path}.`));
  return settings.every(({ project }) => project.direction === 'global_only');
}

/** The path of a member as the table names it. */
export function memberPath(path: string, name: string): string {
  if (path === '') return name;
  return SECTIONS.has(`${path}.*`) ? `${path}.*` : `${path}.${name}`;
}

function mergeMember(path: string, person: unknown, project: unknown): unknown {
  const rule = BY_PATH.get(path)?.project;
  if (rule?.direction === 'narrows') return rule.narrow(person, project);
  // An entry in the place of the person's takes nothing else over from it.
  if (rule?.direction === 'adds_untrusted') return project;
  if (rule !== undefined || project === undefined || !SECTIONS.has(path)) return person;
  // A project adds no profile: what is named so (`gateway.profiles.dev`) is there only if the person has it.
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
