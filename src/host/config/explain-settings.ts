import { isDeepStrictEqual } from 'node:util';
import { createRedactor, MASK } from '../../contract/redact.ts';
import { NearestNames } from '../../gateway/search/words/nearest-names.ts';
import { maskedArguments, maskedUrl } from '../trust/shown-entry.ts';
import type { ConfigLayer, Scope } from './config-layer.ts';
import { mergeServers } from './configured-servers.ts';
import { type GatewaySettings, gatewaySettings, surfacesOf } from './gateway-settings.ts';
import { defaultOf, type ListedSetting } from './settings/setting.ts';

export type SettingSource = 'default' | 'person' | 'project' | 'both' | 'flag';

/** Who may set it: only the user; a project may narrow it; a project may add values that the user has to trust. */
export type SetBy = 'person' | 'project_narrows' | 'project_untrusted';

/** One effective setting, with secrets masked. */
export interface ExplainedSetting {
  readonly key: string;
  /** Null: not set, and without a default. */
  readonly value: unknown;
  readonly source: SettingSource;
  /** The file that the value comes from; null for a default, a flag or both files. */
  readonly file: string | null;
  readonly set_by: SetBy;
  readonly default: unknown;
  readonly flag: string | null;
  readonly summary: string;
  /** Remarks on values in a file that have no effect. */
  readonly notes: readonly string[];
}

export interface ExplainOptions {
  readonly settings: readonly ListedSetting[];
  readonly layers: readonly ConfigLayer[];
  /** Flags of `bindery up`, by their names on the command line. */
  readonly flags: Readonly<Record<string, unknown>>;
}

const SET_BY = {
  global_only: 'person',
  narrows: 'project_narrows',
  adds_untrusted: 'project_untrusted',
} as const satisfies Record<ListedSetting['project']['direction'], SetBy>;

/** Explains one setting, those of a section, or all; undefined if there is no such key. */
export function explainSettings(options: ExplainOptions, key?: string): ExplainedSetting[] | undefined {
  const files = new ConfigFiles(options.layers);
  const named = key === undefined ? undefined : settingNamed(options.settings, key);
  if (named) return [explain(files, named, options.flags)];
  const isWanted = (path: string) => key === undefined || path.startsWith(`${key}.`);
  const wanted = options.settings.flatMap((setting) => files.keysOf(setting).filter(({ path }) => isWanted(path)));
  const isSection = options.settings.some(({ path }) => isWanted(path));
  if (key !== undefined && wanted.length === 0 && !isSection) return undefined;
  return wanted.map((setting) => explain(files, setting, options.flags));
}

/** Suggestions for a key that does not exist: keys with the same ending, or the closest one. */
export function nearestSettings(settings: readonly ListedSetting[], key: string): string[] {
  const ends = settings.filter(({ path }) => path.endsWith(`.${key}`)).map(({ path }) => path);
  const paths = settings.map(({ path }) => path);
  return ends.length > 0 ? ends.slice(0, 3) : new NearestNames(paths).find(key, 1);
}

/** A setting with its actual key: `mcp.servers.notes.url` for `mcp.servers.*.url`. */
interface NamedSetting extends ListedSetting {
  readonly record: string;
  /** The name that replaces `*`. */
  readonly name?: string;
}

function settingNamed(settings: readonly ListedSetting[], key: string): NamedSetting | undefined {
  for (const setting of settings) {
    const { path } = setting;
    if (path === key) return { ...setting, record: path };
    const [before = '', after] = path.split('*');
    if (after === undefined || !key.startsWith(before) || !key.endsWith(after)) continue;
    const name = key.slice(before.length, key.length - after.length);
    if (name !== '') return { ...setting, path: key, record: path, name };
  }
  return undefined;
}

function explain(files: ConfigFiles, setting: NamedSetting, flags: ExplainOptions['flags']): ExplainedSetting {
  const { path: key, summary, flag, project } = setting;
  const notes: string[] = [];
  const person = files.read('global', setting, notes);
  const ofProject = files.read('project', setting, notes);
  if (ofProject !== undefined && project.direction === 'global_only')
    notes.push('what the project says has no effect: only your own config may set this');
  const given = flag === undefined ? undefined : flags[flag];
  const value = given ?? files.inForce(setting, person, ofProject);
  const unset = defaultOf(setting);
  const source = given === undefined ? sourceOf(value, { person, project: ofProject, unset }) : 'flag';
  const shown = value ?? unset ?? null;
  return {
    key,
    value: masked(setting, shown),
    source,
    file: files.fileOf(source),
    set_by: SET_BY[project.direction],
    default: unset ?? setting.unset ?? null,
    flag: flag === undefined ? null : `--${flag}`,
    summary,
    notes,
  };
}

interface Said {
  readonly person: unknown;
  readonly project: unknown;
  readonly unset: unknown;
}

function sourceOf(value: unknown, { person, project, unset }: Said): SettingSource {
  if (value === undefined || (person === undefined && project === undefined)) return 'default';
  if (isDeepStrictEqual(value, person)) return 'person';
  if (isDeepStrictEqual(value, project)) return 'project';
  if (person !== undefined) return 'both';
  // A project's value that is wider than the default has no effect.
  return isDeepStrictEqual(value, unset) ? 'default' : 'project';
}

/** The two config files, and their effective settings. */
class ConfigFiles {
  readonly #layers: readonly ConfigLayer[];
  readonly #gateway: GatewaySettings;

  constructor(layers: readonly ConfigLayer[]) {
    this.#layers = layers;
    this.#gateway = gatewaySettings(layers).settings;
  }

  /** A setting under each name in the files; a setting without `*` is returned unchanged. */
  keysOf(setting: ListedSetting): NamedSetting[] {
    const [before = '', after] = setting.path.split('*');
    if (after === undefined) return [{ ...setting, record: setting.path }];
    const names = this.#layers.flatMap(({ value }) => Object.keys(objectAt(value, before.slice(0, -1).split('.'))));
    return [...new Set(names)]
      .map((name) => ({ ...setting, path: `${before}${name}${after}`, record: setting.path, name }))
      .filter((named) => this.#layers.some((layer) => written(layer, named) !== undefined));
  }

  /** The value in a file, if it is valid. */
  read(scope: Scope, setting: NamedSetting, notes: string[]): unknown {
    const layer = this.#layers.find((one) => one.scope === scope);
    if (!layer) return undefined;
    if (layer.error !== undefined) {
      notes.push(`${layer.file} is not used: ${layer.error}`);
      return undefined;
    }
    const value = written(layer, setting);
    const checked = value === undefined ? undefined : setting.schema.safeParse(value);
    if (checked?.success === false)
      notes.push(`what ${layer.file} says is not valid: ${checked.error.issues[0]?.message}`);
    return checked?.success ? value : undefined;
  }

  /** The effective value of both files; undefined: not set. */
  inForce({ record, name, path, project: rule }: NamedSetting, person: unknown, project: unknown): unknown {
    if (record === 'gateway.profiles.*.policy') return rule.direction === 'narrows' ? (person ?? project) : person;
    if (record === 'gateway.profiles.*.approval.surfaces' && name !== undefined)
      return person === undefined && project === undefined ? undefined : surfacesOf(this.#gateway, name);
    if (record.startsWith('gateway.')) return memberAt({ gateway: this.#gateway }, namesOf({ path, record, name }));
    if (record.startsWith('mcp.servers.')) {
      const server = mergeServers(this.#layers).find(({ id }) => id === name);
      return server?.entry ? memberAt(server.entry, record.split('.').slice(3)) : undefined;
    }
    return rule.direction === 'narrows' ? rule.narrow(person, project) : person;
  }

  fileOf(source: SettingSource): string | null {
    const scope = { person: 'global', project: 'project', default: null, both: null, flag: null }[source];
    return this.#layers.find((layer) => layer.scope === scope)?.file ?? null;
  }
}

function written({ value }: ConfigLayer, setting: NamedSetting): unknown {
  return memberAt(value, namesOf(setting));
}

/** A name that replaces `*` may contain dots. */
function namesOf({
  path,
  record,
  name,
}: Pick<NamedSetting, 'path' | 'record'> & { name?: string | undefined }): string[] {
  return name === undefined ? path.split('.') : record.split('.').map((part) => (part === '*' ? name : part));
}

function memberAt(value: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>((inner, name) => objectAt(inner, [])[name], value);
}

function objectAt(value: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  const inner = names.length === 0 ? value : memberAt(value, names);
  const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  return isObject ? Object.fromEntries(Object.entries(inner)) : {};
}

function masked({ isSecret, record }: NamedSetting, value: unknown): unknown {
  if (value === null) return null;
  if (isSecret) return maskedWhole(value);
  if (record === 'mcp.servers.*.args' && Array.isArray(value)) return maskedArguments(value.map(String));
  const shown = createRedactor().value(value);
  return typeof shown === 'string' ? maskedUrl(shown) : shown;
}

/** Keeps names and masks values. */
function maskedWhole(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskedWhole);
  if (typeof value !== 'object' || value === null) return MASK;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, maskedWhole(member)]));
}
