import { dirname, join } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import { didYouMean } from '../../contract/nearest-word.ts';
import { refusalReason } from '../../files/read-supplied-file.ts';
import { type ConfigLayer, parseLayer, type Scope } from './config-layer.ts';
import { type ConfiguredServer, isSwitchOff, mergeServers, serversOf } from './configured-servers.ts';
import { appendItem, namingFile, removeMember, setMember } from './edit-config.ts';
import { checkServerEntry } from './server-entry.ts';
import { readText, updateFile } from './update-file.ts';

export type ListScope = Scope | 'effective';

export interface ConfigFiles {
  readonly global: string;
  readonly project: string;
}

export interface ReadConfig {
  /** Lowest first. */
  readonly layers: readonly ConfigLayer[];
  /** Errors of whole files, one sentence each. */
  readonly errors: readonly string[];
}

export interface LoadedConfig extends ReadConfig {
  /** The effective servers, sorted by id; invalid ones are included with their reason. */
  readonly servers: readonly ConfiguredServer[];
}

/** The project's config file; parent folders are not searched. */
export function projectConfigFile(projectDir: string): string {
  return join(projectDir, '.bindery', 'config.json');
}

/** A server as defined in a file. */
interface FoundServer {
  readonly text: string;
  /** Its path in the file. */
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The config files of the user and of a project: read as layers, written one at a time. */
export class ConfigStore {
  readonly files: ConfigFiles;

  constructor(files: ConfigFiles) {
    this.files = files;
  }

  async load(): Promise<LoadedConfig> {
    const { layers, errors } = await this.read();
    return { layers, servers: mergeServers(layers), errors };
  }

  /** The files without their effective servers, for callers that merge other layers. */
  async read(): Promise<ReadConfig> {
    // If both are the same file (a project in the home folder), it is global only.
    const scopes: Scope[] = this.files.global === this.files.project ? ['global'] : ['global', 'project'];
    const layers = await Promise.all(scopes.map((scope) => this.#layer(scope)));
    const errors = layers.flatMap(({ scope, error }) =>
      error === undefined ? [] : [`the ${scope} config file is not used: ${this.files[scope]}: ${error}`],
    );
    return { layers, errors };
  }

  async list(scope: ListScope): Promise<readonly ConfiguredServer[]> {
    return scope === 'effective' ? (await this.load()).servers : serversOf(await this.#layer(scope));
  }

  /** Writes an entry; throws `SERVER_INVALID` or `SERVER_EXISTS` before writing. Returns warnings. */
  async add(id: string, entry: object, scope: Scope, replace: boolean): Promise<readonly string[]> {
    const checked = checkServerEntry(id, entry);
    if (checked.reason !== undefined) throw new BinderyError('SERVER_INVALID', { detail: checked.reason });
    await this.#update(scope, (text) => {
      if (!replace && this.#parse(scope, text).servers.has(id)) {
        throw new BinderyError('SERVER_EXISTS', {
          detail: `"${id}" is in the ${scope} config`,
          members: { id, scope },
        });
      }
      return setMember(text, ['mcp', 'servers', id], entry);
    });
    return checked.warnings;
  }

  async remove(id: string, scope: Scope): Promise<void> {
    await this.#updateExisting(id, scope, ({ text, path }) => removeMember(text, path));
  }

  /** A project disables a server of the user's config with an entry that says only that, and enables it by removing the entry. */
  async setEnabled(id: string, scope: Scope, enabled: boolean): Promise<void> {
    const isForeign = scope === 'project' && !enabled && (await this.#layer('global')).servers.has(id);
    if (isForeign && !(await this.#layer('project')).servers.has(id)) {
      return this.#update(scope, (text) => setMember(text, ['mcp', 'servers', id, 'enabled'], false));
    }
    await this.#updateExisting(id, scope, ({ text, value, path }) => {
      if (typeof value !== 'object' || value === null) {
        throw new BinderyError('SERVER_INVALID', { detail: `"${id}" is not an object` });
      }
      if (enabled && isSwitchOff(value)) return removeMember(text, path);
      return setMember(text, [...path, 'enabled'], enabled);
    });
  }

  /** Sets a gateway setting in the user's own config. */
  async setGateway(path: readonly string[], value: unknown): Promise<void> {
    await this.#update('global', (text) => setMember(text, ['gateway', ...path], value));
  }

  /** Remembers what the user allows in a project. Stored in the user's own config, because a project's config cannot allow anything. */
  async allowInProject(projectDir: string, rule: unknown): Promise<void> {
    await this.#update('global', (text) => appendItem(text, ['permissions', 'projects', projectDir, 'allow'], rule));
  }

  async #updateExisting(id: string, scope: Scope, change: (found: FoundServer) => string): Promise<void> {
    const other: Scope = scope === 'global' ? 'project' : 'global';
    const others = (await this.#layer(other)).servers;
    const elsewhere = others.has(id);
    await this.#update(scope, (text) => {
      const { servers } = this.#parse(scope, text);
      const server = servers.get(id);
      if (text === undefined || !server)
        throw notFound(id, scope, elsewhere ? other : undefined, [...servers.keys(), ...others.keys()]);
      return change({ text, value: server.value, path: server.path });
    });
  }

  #update(scope: Scope, change: (text: string | undefined) => string): Promise<void> {
    // The global file may contain client secrets; the project's file is shared.
    const mode = scope === 'global' ? 0o600 : 0o644;
    const file = this.files[scope];
    return updateFile(file, (text) => namingFile(file, () => change(text)), { mode, within: this.#withinOf(scope) });
  }

  async #layer(scope: Scope): Promise<ConfigLayer> {
    try {
      return this.#parse(scope, await readText(this.files[scope], this.#withinOf(scope)));
    } catch (thrown) {
      const reason = refusalReason(thrown);
      if (reason === undefined) throw thrown;
      return { ...this.#parse(scope, undefined), error: reason };
    }
  }

  /** A project's file must not be a link to outside of the project; the user's own may. */
  #withinOf(scope: Scope): string | undefined {
    return scope === 'project' ? dirname(dirname(this.files.project)) : undefined;
  }

  #parse(scope: Scope, text: string | undefined): ConfigLayer {
    return parseLayer(scope, this.files[scope], text);
  }
}

function notFound(id: string, scope: Scope, other: Scope | undefined, known: readonly string[]): BinderyError {
  const meant = didYouMean(id, known);
  const hint = other === undefined ? '' : `; it is in the ${other} config`;
  return new BinderyError('SERVER_NOT_FOUND', {
    detail: `"${id}" is not in the ${scope} config${hint}`,
    members: { id, scope, ...(other === undefined ? {} : { found_in: other }) },
    ...(other === undefined ? (meant === '' ? {} : { next: meant }) : { next: `Add --scope ${other}.` }),
  });
}
