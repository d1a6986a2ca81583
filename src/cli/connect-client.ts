import { resolve } from 'node:path';
import { BinderyError } from '../contract/errors.ts';
import type { ConnectedClient, ConnectRequest, DisconnectRequest } from '../gateway/administration/deps.ts';
import { bringBackServer, entryText, readClientFile, setServer } from '../gateway/import/client-file.ts';
import { type ClientFormat, FORMATS, type GatewayAddress, OWN_ID } from '../gateway/import/client-formats.ts';
import { clientPlace, type Machine } from '../gateway/import/client-places.ts';
import { isOwn } from '../gateway/import/own-entry.ts';
import type { FileBackups } from '../store/import/file-backups.ts';
import { onText, readSource, removeLeftovers, writeWhole } from './commands/file-changes.ts';

export interface ConnectOptions {
  readonly machine: Machine;
  readonly cwd: string;
  readonly backups: FileBackups;
  readonly address: GatewayAddress;
  /** Asks the person at the terminal; false if there is none. */
  confirm(question: string): Promise<boolean>;
}

interface Place {
  readonly file: string;
  readonly format: ClientFormat;
  /** Undefined: there is no such file yet. */
  readonly text: string | undefined;
}

/** Adds the gateway to the file of a client, or prints the entry for a person to add. */
export async function connectClient(options: ConnectOptions, request: ConnectRequest): Promise<ConnectedClient> {
  const { client } = request;
  const file = fileOf(options, request);
  const format = FORMATS[client];
  const entry = format.ownEntry(withHeaders(options.address, request.header));
  if (request.header.length > 0 && 'command' in entry) {
    throw new BinderyError('USAGE', {
      detail: `--header has no effect: ${client} starts \`bindery stdio\`, which sends no header of yours`,
      next: 'Leave --header out: `bindery stdio` signs in by itself.',
    });
  }
  const answer = { client, file, backup: null, text: null, key_variable: variableOf(entry, options.address) };
  if (request.link) {
    if (!format.link) {
      throw new BinderyError('USAGE', {
        detail: `${client} has no link that adds a server`,
        next: 'Leave --link out to write its file, or take --print.',
      });
    }
    return { ...answer, action: 'printed', text: `${format.link(OWN_ID, entry)}\n` };
  }
  if (request.print) return { ...answer, action: 'printed', text: entryText(format, OWN_ID, entry) };
  await removeLeftovers([file]);
  const text = readSource(file);
  const after = onText(file, () => setServer(format, text ?? '', OWN_ID, entry));
  if (after === text) return { ...answer, action: 'unchanged' };
  const isOthers = text !== undefined && entryKind(options, { file, format, text }) === 'foreign';
  if (isOthers && !request.force) await confirmReplacing(options, client, file);
  return { ...answer, action: 'written', backup: await write(options, file, after, 'connect') };
}

/** The variable that holds the key of an entry; a client that starts `bindery stdio` needs none. */
function variableOf(entry: object, { keyVariable }: GatewayAddress): string | null {
  return keyVariable !== undefined && JSON.stringify(entry).includes(keyVariable) ? keyVariable : null;
}

/** Removes the gateway from the file of a client. Restores the entry that a `connect` replaced. */
export async function disconnectClient(options: ConnectOptions, request: DisconnectRequest): Promise<ConnectedClient> {
  const file = fileOf(options, request);
  const place = { file, format: FORMATS[request.client], text: readSource(file) };
  const answer = { client: request.client, file, backup: null, text: null, key_variable: null };
  const kind = entryKind(options, place);
  if (place.text === undefined || kind !== 'own') {
    return { ...answer, action: kind === 'foreign' ? 'foreign' : 'unchanged' };
  }
  // If the file has not changed since, the old bytes are restored. They may contain an older entry of ours, which is removed as well.
  if (await options.backups.undoConnect(file)) {
    const again = await disconnectClient(options, request);
    return { ...again, action: 'removed' };
  }
  const backup = await write(options, file, withoutOwn(options, place, place.text), 'disconnect');
  await options.backups.settleConnects(file);
  return { ...answer, action: 'removed', backup };
}

/** The file without our entry, and with the entry that a `connect` replaced. */
function withoutOwn(options: ConnectOptions, { file, format }: Place, text: string): string {
  const before = options.backups
    .beforeConnects(file)
    .map((bytes) => Buffer.from(bytes).toString('utf8'))
    .find((old) => entryKind(options, { file, format, text: old }) === 'foreign');
  return before === undefined
    ? setServer(format, text, OWN_ID, undefined)
    : bringBackServer(format, { text, before, id: OWN_ID });
}

/** Whether the entry with our name in a file is ours. */
function entryKind({ address }: ConnectOptions, { file, format, text }: Place): 'own' | 'foreign' | 'none' {
  const found = onText(file, () => readClientFile(format, text ?? ''));
  const named = found.find(({ id, isOfProject }) => id === OWN_ID && !isOfProject);
  if (!named) return 'none';
  return isOwn(named.id, named.value, address) ? 'own' : 'foreign';
}

async function confirmReplacing({ confirm }: ConnectOptions, client: string, file: string): Promise<void> {
  const what = `${file} has another server named ${OWN_ID}`;
  if (await confirm(`${what}\nReplace it?`)) return;
  throw new BinderyError('CONFIRMATION_REQUIRED', {
    detail: what,
    next: `Rename that entry, or replace it with --force: \`bindery disconnect ${client}\` then brings it back.`,
  });
}

function fileOf({ machine, cwd }: ConnectOptions, { client, file }: DisconnectRequest): string {
  return file === undefined ? resolve(clientPlace(client, machine)) : resolve(cwd, file);
}

async function write(
  { backups }: ConnectOptions,
  file: string,
  after: string,
  purpose: 'connect' | 'disconnect',
): Promise<string> {
  const backup = await backups.create([{ path: file, after: Buffer.from(after) }], purpose);
  try {
    await writeWhole(file, after);
  } catch (thrown) {
    await backups.takeBack(backup);
    throw thrown;
  }
  return backup;
}

function withHeaders(address: GatewayAddress, texts: readonly string[]): GatewayAddress {
  if (texts.length === 0) return address;
  const pairs = texts.map((text) => {
    const [, name, value] = /^([^:=\s]+)\s*[:=]\s*(.+)$/.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      throw new BinderyError('USAGE', { detail: "--header is written as 'Name: value'" });
    }
    return [name, value];
  });
  return { ...address, headers: Object.fromEntries(pairs) };
}
