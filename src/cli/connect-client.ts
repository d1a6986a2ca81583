import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { BinderyError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { readSuppliedFileSync } from '../files/read-supplied-file.ts';
import type { ConnectedClient, ConnectRequest } from '../gateway/administration/deps.ts';
import { entryText, setServer } from '../gateway/import/client-file.ts';
import { type ClientFormat, FORMATS, type GatewayAddress, OWN_ID } from '../gateway/import/client-formats.ts';
import { clientPlace, type Machine } from '../gateway/import/client-places.ts';
import { lateLibrary } from '../libraries/late-library.ts';
import type { FileBackups } from '../store/import/file-backups.ts';

const writeFileAtomic = lateLibrary<typeof import('write-file-atomic')>('write-file-atomic');

export interface ConnectOptions {
  readonly machine: Machine;
  readonly cwd: string;
  readonly backups: FileBackups;
  readonly address: GatewayAddress;
}

interface Place {
  readonly file: string;
  readonly format: ClientFormat;
  /** Undefined: there is no such file yet. */
  readonly text: string | undefined;
}

/** Puts the gateway into the file of a client, or prints what a person would put there. */
export async function connectClient(
  options: ConnectOptions,
  request: Parameters<typeof place>[1] & {
    readonly header: readonly string[];
    readonly print: boolean;
    readonly link: boolean;
  },
): Promise<ConnectedClient> {
  const { file, format, text } = place(options, request);
  const entry = format.ownEntry(withHeaders(options.address, request.header));
  const answer = { client: request.client, file, backup: null, text: null };
  if (request.link) {
    if (!format.link) {
      throw new BinderyError('USAGE', {
        detail: `${request.client} has no link that adds a server`,
        next: 'Leave --link out to write its file, or take --print.',
      });
    }
    return { ...answer, action: 'printed', text: `${format.link(OWN_ID, entry)}\n` };
  }
  if (request.print) return { ...answer, action: 'printed', text: entryText(format, OWN_ID, entry) };
  const after = setServer(format, text ?? '', OWN_ID, entry);
  if (after === text) return { ...answer, action: 'unchanged' };
  return { ...answer, action: 'written', backup: await write(options, file, after, 'connect') };
}

/** Takes the gateway out of the file of a client. */
export async function disconnectClient(options: ConnectOptions, request: ConnectRequest): Promise<ConnectedClient> {
  const { file, format, text } = place(options, request);
  const answer = { client: request.client, file, backup: null, text: null };
  if (text === undefined) return { ...answer, action: 'unchanged' };
  const after = setServer(format, text, OWN_ID, undefined);
  if (after === text) return { ...answer, action: 'unchanged' };
  // If the file has not changed since, the old bytes are restored. They may have an entry from before, which goes as well.
  if (await options.backups.undoConnect(file)) {
    const again = await disconnectClient(options, request);
    return { ...again, action: 'removed' };
  }
  const backup = await write(options, file, after, 'disconnect');
  await options.backups.settleConnects(file);
  return { ...answer, action: 'removed', backup };
}

function place({ machine, cwd }: ConnectOptions, { client, file }: ConnectRequest): Place {
  const path = file === undefined ? resolve(clientPlace(client, machine)) : resolve(cwd, file);
  const text = readSuppliedFileSync({ path, bytesMax: LIMITS.importFileBytesMax })?.toString('utf8');
  return { file: path, format: FORMATS[client], text };
}

async function write(
  { backups }: ConnectOptions,
  file: string,
  after: string,
  purpose: 'connect' | 'disconnect',
): Promise<string> {
  const backup = await backups.create([{ path: file, after: Buffer.from(after) }], purpose);
  await mkdir(dirname(file), { recursive: true });
  await writeFileAtomic()(file, after);
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
