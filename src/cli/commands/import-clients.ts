import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { BinderyError } from '../../contract/errors.ts';
import { isSecretName } from '../../contract/redact.ts';
import type { ImportPlan, ImportRequest, PlannedClient } from '../../gateway/administration/deps.ts';
import { readClientFile, replaceServers, setServer } from '../../gateway/import/client-file.ts';
import {
  CLIENTS,
  type ClientFormat,
  FORMATS,
  formatOfFile,
  type GatewayAddress,
  OWN_ID,
  type SourceId,
  setKeyCommand,
} from '../../gateway/import/client-formats.ts';
import { clientPlace, type Machine } from '../../gateway/import/client-places.ts';
import type { ClientServer } from '../../gateway/import/client-server.ts';
import { isOwn } from '../../gateway/import/own-entry.ts';
import { type PlanContext, type PlannedServer, planServers } from '../../gateway/import/plan-servers.ts';
import type { ConfigStore } from '../../host/config/config-store.ts';
import { namingFile, setMember } from '../../host/config/edit-config.ts';
import { withPathsFrom } from '../../host/config/launch-place.ts';
import { checkServerEntry } from '../../host/config/server-entry.ts';
import { secretArguments, urlSecrets } from '../../host/redact/known-secrets.ts';
import type { FileBackups } from '../../store/import/file-backups.ts';
import {
  applyChanges,
  type FileChange,
  maskedDiff,
  onText,
  readSource,
  removeLeftovers,
  type ShownSecret,
} from './file-changes.ts';

export interface ImportOptions {
  readonly machine: Machine;
  readonly cwd: string;
  readonly config: ConfigStore;
  readonly backups: FileBackups;
  readonly address: GatewayAddress;
  warn(text: string): void;
}

interface Source {
  readonly client: SourceId;
  readonly file: string;
  readonly text: string;
  readonly format: ClientFormat;
}

/** The imported servers, and the changed files. */
export interface ImportedFiles {
  readonly clients: readonly PlannedClient[];
  /** Clients whose file cannot be read. */
  readonly leftOut: readonly SourceId[];
  /** Our config comes before the clients, so that a server is never missing in both. */
  readonly changes: readonly FileChange[];
  /** Secrets that a diff of the changes must not show. */
  readonly secrets: readonly ShownSecret[];
}

/** Plans an import: reads, decides and shows. Nothing is written before `apply`. */
export async function planImport(options: ImportOptions, request: ImportRequest): Promise<ImportPlan> {
  const { clients, leftOut, changes, secrets } = await importedFiles(options, request);
  await removeLeftovers([options.config.files.global, ...clients.map(({ file }) => file)]);
  const diff = maskedDiff(changes, secrets);
  return { clients, leftOut, diff, apply: () => applyChanges(options.backups, changes, 'import') };
}

export async function importedFiles(options: ImportOptions, request: ImportRequest): Promise<ImportedFiles> {
  const { config, machine, address } = options;
  const taken = new Map((await config.list('global')).map(({ id, raw }) => [id, raw]));
  const contextOf = (file: string): PlanContext => ({
    home: machine.home,
    address,
    withAbsolutePaths: (entry) => withPathsFrom(dirname(file), entry),
    refuse: (id, entry) => checkServerEntry(id, entry).reason,
  });
  const clients: PlannedClient[] = [];
  const replaced: FileChange[] = [];
  // Servers that are removed from a client are shown as well, whether or not they can be imported.
  const shown: unknown[] = [...taken.values()];
  const reader = new TolerantReader(options, request);
  for (const source of sourcesOf(options, request, reader)) {
    const { client, file, text, format } = source;
    const found = reader.read(client, () => onText(file, () => readClientFile(format, text)));
    if (!found) continue;
    shown.push(...found.map(({ value }) => value));
    const servers = planServers(client, found, taken, contextOf(file));
    const after = request.replace
      ? reader.read(client, () => replacedText(source, found, servers, address))
      : undefined;
    clients.push({ client, file, servers, replaced: after !== undefined });
    if (after !== undefined && after !== text) replaced.push({ path: file, before: text, after, isClient: true });
  }
  reader.refuseNothing(clients.length);
  if (replaced.length > 0 && address.keyVariable !== undefined) options.warn(keyAdvice(address.keyVariable));
  const added = clients.flatMap(({ servers }) =>
    servers.flatMap(({ as, entry }) => (as !== null && entry ? [{ id: as, entry }] : [])),
  );
  const changes = [...configChange(config, added), ...replaced];
  return { clients, leftOut: reader.leftOut, changes, secrets: shown.flatMap((entry) => secretsOf(entry)) };
}

function keyAdvice(variable: string): string {
  return `the gateway wants a key, which the entries read from ${variable}. Make one, and start the client from the same terminal:\n${setKeyCommand('NAME')}`;
}

/** The client's file with our entry instead of the servers that Bindery has. A skipped server stays in the file. */
function replacedText(
  { text, format, file }: Source,
  found: readonly ClientServer[],
  servers: readonly PlannedServer[],
  address: GatewayAddress,
): string {
  const entry = format.ownEntry(address);
  const own = found.filter(({ isOfProject }) => !isOfProject);
  // A file with only our entry stays unchanged.
  const isDone =
    own.length === 1 && own[0]?.id === OWN_ID && isDeepStrictEqual({ ...Object(own[0].value) }, { ...entry });
  if (isDone) return text;
  const moved = servers.filter(({ as }) => as !== null).map(({ id }) => id);
  const stays = own.filter(({ id, value }) => !moved.includes(id) && !isOwn(id, value, address));
  if (stays.length === 0) return replaceServers(format, text, OWN_ID, entry);
  if (stays.some(({ id }) => id === OWN_ID)) {
    throw new BinderyError('IMPORT_UNREADABLE', {
      detail: `${file}: it has an entry ${OWN_ID} that is not a server; rename or remove it`,
    });
  }
  const kept = stays.map(({ id }) => id);
  const without = own
    .filter(({ id }) => !kept.includes(id))
    .reduce((left, { id }) => setServer(format, left, id, undefined), text);
  return setServer(format, without, OWN_ID, entry);
}

function sourcesOf(
  { machine, cwd }: ImportOptions,
  { from, file, clients = CLIENTS }: ImportRequest,
  reader: TolerantReader,
): Source[] {
  if (file !== undefined) {
    const path = resolve(cwd, file);
    const text = readSource(path);
    if (text === undefined) throw new BinderyError('IMPORT_NOT_FOUND', { detail: file });
    const client = from ?? 'file';
    return [{ client, file: path, text, format: client === 'file' ? formatOfFile(path, text) : FORMATS[client] }];
  }
  const wanted = clients.filter((client) => from === undefined || from === client);
  const sources = wanted.flatMap((client): Source[] => {
    const path = resolve(clientPlace(client, machine));
    const text = reader.read(client, () => readSource(path));
    return text === undefined ? [] : [{ client, file: path, text, format: FORMATS[client] }];
  });
  if (from !== undefined && sources.length === 0) {
    throw new BinderyError('IMPORT_NOT_FOUND', { detail: `${from} has no file at its usual place` });
  }
  return sources;
}

/** A broken file of one client does not stop the import of the others, unless it was requested by name. */
class TolerantReader {
  readonly #options: ImportOptions;
  readonly #isAsked: boolean;
  readonly #failures: BinderyError[] = [];
  readonly leftOut: SourceId[] = [];

  constructor(options: ImportOptions, { from }: Pick<ImportRequest, 'from'>) {
    this.#options = options;
    this.#isAsked = from !== undefined;
  }

  read<T>(client: SourceId, read: () => T): T | undefined {
    try {
      return read();
    } catch (thrown) {
      if (this.#isAsked || !(thrown instanceof BinderyError) || thrown.code !== 'IMPORT_UNREADABLE') throw thrown;
      this.#failures.push(thrown);
      this.leftOut.push(client);
      this.#options.warn(`${client} is left out: ${thrown.detail}`);
      return undefined;
    }
  }

  /** If no file could be read, throws the first failure. */
  refuseNothing(readCount: number): void {
    const [first] = this.#failures;
    if (first && readCount === 0) throw first;
  }
}

type Added = readonly { readonly id: string; readonly entry: object }[];

function configChange(config: ConfigStore, added: Added): FileChange[] {
  if (added.length === 0) return [];
  const path = config.files.global;
  const before = readSource(path);
  const after = namingFile(path, () =>
    added.reduce((text: string | undefined, { id, entry }) => setMember(text, ['mcp', 'servers', id], entry), before),
  );
  return [{ path, before, after: after as string, isConfig: true }];
}

/** Members whose values all count as secrets, in the terms of all clients. */
const SECRET_MEMBERS = /^(?:env|environment|(?:http_)?headers|env_http_headers)$/;

/** Secrets anywhere in the definition of a server, in the structure of any client. */
export function secretsOf(value: unknown, name = '', isSecret = false): ShownSecret[] {
  if (typeof value === 'string') {
    if (value.startsWith('${')) return [];
    return isSecret || isSecretName(name) ? [{ name, value }] : urlSecrets(value).map((found) => ({ value: found }));
  }
  if (Array.isArray(value)) {
    return secretArguments(value.filter((item) => typeof item === 'string')).map((found) => ({ value: found }));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) =>
    secretsOf(inner, member, isSecret || SECRET_MEMBERS.test(name)),
  );
}
