import { BinderyError } from '../../contract/errors.ts';
import type { ClientFormat } from './client-formats.ts';
import { type ClientServer, UnreadableFile } from './client-server.ts';
import { bringBackJsonServer, readJsonServers, replaceJsonServers, setJsonServer } from './json-file.ts';
import { bringBackTomlServer, readTomlServers, replaceTomlServers, setTomlServer } from './toml-file.ts';

/** The servers of a client's file, in their order. Throws `IMPORT_UNREADABLE` where it is not what the client writes. */
export function readClientFile(format: ClientFormat, text: string): readonly ClientServer[] {
  return asUnreadable(() =>
    format.syntax === 'toml' ? readTomlServers(text, format.section) : readJsonServers(text, format.section),
  );
}

/** The file with one server in place of all; every byte outside of the servers stays. */
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

/** The file with this server among the others; undefined as the entry takes it out. Every byte of the others stays. */
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

/** The file with a server as another text of it has it; every other byte stays. */
export function bringBackServer(
  { syntax, section }: ClientFormat,
  { text, before, id }: { readonly text: string; readonly before: string; readonly id: string },
): string {
  return asUnreadable(() => (syntax === 'toml' ? bringBackTomlServer : bringBackJsonServer)(text, before, section, id));
}

/** The entry as a person would paste it into the client's file. */
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
