import { dirname, resolve } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { BinderyError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { createRedactor, isSecretName } from '../../contract/redact.ts';
import { visibleText } from '../../contract/visible-text.ts';
import { readSuppliedFileSync, refusalReason } from '../../files/read-supplied-file.ts';
import type { ImportPlan, ImportRequest, PlannedClient } from '../../gateway/administration/deps.ts';
import { readClientFile, replaceServers } from '../../gateway/import/client-file.ts';
import {
  CLIENTS,
  type ClientFormat,
  FORMATS,
  formatOfFile,
  type GatewayAddress,
  OWN_ID,
  type SourceId,
} from '../../gateway/import/client-formats.ts';
import { clientPlace, type Machine } from '../../gateway/import/client-places.ts';
import { type PlanContext, planServers } from '../../gateway/import/plan-servers.ts';
import type { ConfigStore } from '../../host/config/config-store.ts';
import { setMember } from '../../host/config/edit-config.ts';
import { withPathsFrom } from '../../host/config/launch-place.ts';
import { checkServerEntry } from '../../host/config/server-entry.ts';
import { secretArguments, urlSecrets } from '../../host/redact/known-secrets.ts';
import { lateLibrary } from '../../libraries/late-library.ts';
import type { FileBackups } from '../../store/import/file-backups.ts';

const writeFileAtomic = lateLibrary<typeof import('write-file-atomic')>('write-file-atomic');

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

interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
}

/** Plans an import: reads, decides and shows; nothing is written before `apply`. */
export async function planImport(options: ImportOptions, request: ImportRequest): Promise<ImportPlan> {
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
  // What is removed from a client is shown as well, whether or not it can be moved.
  const shown: unknown[] = [...taken.values()];
  for (const source of sourcesOf(options, request)) {
    const { client, file, text, format } = source;
    const found = tolerate(options, request, client, () => readClientFile(format, text));
    if (!found) continue;
    shown.push(...found.map(({ value }) => value));
    const after = request.replace ? replaceServers(format, text, OWN_ID, format.ownEntry(address)) : text;
    clients.push({
      client,
      file,
      servers: planServers(client, found, taken, contextOf(file)),
      replaced: request.replace,
    });
    if (after !== text) replaced.push({ path: file, before: text, after });
  }
  const added = clients.flatMap(({ servers }) =>
    servers.flatMap(({ as, entry }) => (as !== null && entry ? [{ id: as, entry }] : [])),
  );
  const changes = [...configChange(config, added), ...replaced];
  return {
    clients,
    diff: maskedDiff(changes, shown),
    apply: () => apply(options, added, changes, replaced),
  };
}

type Added = readonly { readonly id: string; readonly entry: object }[];

/** Backup first; then our config, so that a server is never in neither place; then the clients. */
async function apply(
  { config, backups }: ImportOptions,
  added: Added,
  changes: readonly FileChange[],
  replaced: readonly FileChange[],
): Promise<string> {
  const backup = await backups.create(changes.map(({ path, after }) => ({ path, after: Buffer.from(after) })));
  for (const { id, entry } of added) await config.add(id, entry, 'global', false);
  for (const { path, before, after } of replaced) {
    if (readSource(path) !== before) throw new BinderyError('IMPORT_CONFLICT', { detail: path });
    await writeFileAtomic()(path, after);
  }
  await backups.recordResult(backup);
  return backup;
}

function sourcesOf(options: ImportOptions, { from, file }: ImportRequest): Source[] {
  const { machine, cwd } = options;
  if (file !== undefined) {
    const path = resolve(cwd, file);
    const text = readSource(path);
    if (text === undefined) throw new BinderyError('IMPORT_NOT_FOUND', { detail: file });
    const client = from ?? 'file';
    return [{ client, file: path, text, format: client === 'file' ? formatOfFile(path, text) : FORMATS[client] }];
  }
  const wanted = CLIENTS.filter((client) => from === undefined || from === client);
  const sources = wanted.flatMap((client): Source[] => {
    const path = resolve(clientPlace(client, machine));
    const text = tolerate(options, { from }, client, () => readSource(path));
    return text === undefined ? [] : [{ client, file: path, text, format: FORMATS[client] }];
  });
  if (from !== undefined && sources.length === 0) {
    throw new BinderyError('IMPORT_NOT_FOUND', { detail: `${from} has no file at its usual place` });
  }
  return sources;
}

/** The text of a file; undefined where there is none. What is not UTF-8 could not be put back together. */
function readSource(path: string): string | undefined {
  let bytes: Buffer | undefined;
  try {
    bytes = readSuppliedFileSync({ path, bytesMax: LIMITS.importFileBytesMax });
  } catch (cause) {
    throw new BinderyError('IMPORT_UNREADABLE', { detail: `${path} cannot be opened: ${refusalReason(cause)}`, cause });
  }
  if (bytes === undefined) return undefined;
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw new BinderyError('IMPORT_UNREADABLE', { detail: 'it is not UTF-8' });
  return text;
}

/** One client's broken file does not keep the others from being imported, unless it was asked for. */
function tolerate<T>(
  { warn }: ImportOptions,
  { from }: Pick<ImportRequest, 'from'>,
  client: SourceId,
  read: () => T,
): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (from !== undefined || !(thrown instanceof BinderyError) || thrown.code !== 'IMPORT_UNREADABLE') throw thrown;
    warn(`${client} is left out: ${thrown.detail}`);
    return undefined;
  }
}

function configChange(config: ConfigStore, added: Added): FileChange[] {
  if (added.length === 0) return [];
  const path = config.files.global;
  const before = readSource(path);
  const after = added.reduce(
    (text: string | undefined, { id, entry }) => setMember(text, ['mcp', 'servers', id], entry),
    before,
  );
  return [{ path, before, after: after as string }];
}

/** What would change, for eyes and terminals that others may see: secrets are masked, and what a terminal hides or obeys is written out. */
function maskedDiff(changes: readonly FileChange[], entries: readonly unknown[]): string {
  const redactor = createRedactor(entries.flatMap((entry) => secretsOf(entry)));
  return changes
    .map(({ path, before, after }) =>
      createTwoFilesPatch(path, path, before ?? '', after, '', '', { context: 2 })
        .split('\n')
        .filter((line) => !/^=+$/.test(line))
        .map((line) => line.replace(/\r$/, ''))
        .map((line) => visibleText(redactor.text(line)))
        .join('\n'),
    )
    .join('');
}

/** Members whose values are all taken for secrets, as the clients name them. */
const SECRET_MEMBERS = /^(?:env|environment|(?:http_)?headers|env_http_headers)$/;

/** Secrets anywhere in the definition of a server, however the client that wrote it arranges them. */
function secretsOf(value: unknown, name = '', isSecret = false): string[] {
  if (typeof value === 'string') {
    if (value.startsWith('${')) return [];
    return isSecret || isSecretName(name) ? [value] : urlSecrets(value);
  }
  if (Array.isArray(value)) return secretArguments(value.filter((item) => typeof item === 'string'));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) =>
    secretsOf(inner, member, isSecret || SECRET_MEMBERS.test(name)),
  );
}
