import { BinderyError } from '../../contract/errors.ts';
import type { ClientFormat } from './client-formats.ts';
import { type ClientServer, UnreadableFile } from './client-server.ts';
import { bringBackJsonServer, readJsonServers, replaceJsonServers, setJsonServer } from './json-file.ts';
import { bringBackTomlServer, readTomlServers, replaceTomlServers, setTomlServer } from './toml-file.ts';

/** The servers of a client's file, in order. Throws `IMPORT_UNREADABLE` if it does not have the client's format. */
export function readClientFile(format: ClientFormat, text: string): readonly ClientServer[] {
  return asUnreadable(() =>
    format.syntax === 'toml' ? readTomlServers(text, format.section) : readJsonServers(text, format.section),
  );
}

/** Replaces all servers by one; keeps every byte outside of the servers. */
export function replaceServers(
  format: ClientFormat,
  text: string,
  id: string,
  entry: Readonly<Record<string, unknown>>,
): string {
  return asUnreadable(() =>
    format.syntax === 'toml'
      ? replaceTomlServers(text, format.section, id, entry)
      : replaceJsonServers(text, format.section, id, entry),
  );
}

/** Adds or replaces a server; removes it if the entry is undefined. Keeps every other byte. */
export function setServer(
  format: ClientFormat,
  text: string,
  id: string,
  entry: Readonly<Record<string, unknown>> | undefined,
): string {
  return asUnreadable(() =>
    format.syntax === 'toml'
      ? setTomlServer(text, format.section, id, entry)
      : setJsonServer(text, format.section, id, entry),
  );
}

/** Restores a server from another version of the file; keeps every other byte. */
export function bringBackServer(
  { syntax, section }: ClientFormat,
  { text, before, id }: { readonly text: string; readonly before: string; readonly id: string },
): string {
  return asUnreadable(() => (syntax === 'toml' ? bringBackTomlServer : bringBackJsonServer)(text, before, section, id));
}

/** The entry as text to paste into the client's file. */
export function entryText(format: ClientFormat, id: string, entry: Readonly<Record<string, unknown>>): string {
  return format.syntax === 'toml'
    ? setTomlServer('', format.section, id, entry)
    : `${JSON.stringify({ [format.section]: { [id]: entry } }, null, 2)}\n`;
}

function asUnreadable<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof UnreadableFile)) throw thrown;
    throw new BinderyError('IMPORT_UNREADABLE', { detail: thrown.message, cause: thrown });
  }
}
