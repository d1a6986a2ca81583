import { registrationOf } from '../../registry/registered-servers.ts';
import type { RegistryCopy } from './registry-copy.ts';
import type { RowChange, RowContent, RowsForWriter, SharedRows } from './shared-rows.ts';
import { SHARED_TABLES } from './shared-tables.ts';

const REGISTERED = 'registered_servers';
const SERVER_COLUMNS = new Map(SHARED_TABLES.map(({ table, ofServer }) => [table, ofServer]));

/**
 * Ships the oldest changes of a copy; undefined where none wait. A row belongs to one registration of a server's name: a row of another
 * one came too late and is refused, and the copy takes what the database has in its place. Gives what it took.
 */
export async function shipChanges(
  copy: RegistryCopy,
  rows: Pick<SharedRows, 'write'>,
  limit: number,
): Promise<readonly RowChange[] | undefined> {
  const items = copy.unshipped(limit);
  if (items.length === 0) return undefined;
  const instead = await rows.write((writer) => putLive(writer, items));
  copy.shipped(items, instead);
  return instead;
}

/** Writes what belongs to registrations that are there, and removes what belonged to those that these changes end. */
async function putLive(rows: RowsForWriter, changes: readonly RowChange[]): Promise<RowChange[]> {
  const registrations = new Map<string, string | undefined>();
  const ended: string[] = [];
  for (const { key, content } of changes.filter(({ part }) => part === REGISTERED)) {
    const [before, after] = [idOf(await rows.find(REGISTERED, key)), idOf(content)];
    registrations.set(key, after);
    if (before !== undefined && before !== after) ended.push(before);
  }
  const refused: RowChange[] = [];
  for (const change of changes) {
    const key = registrationKey(change);
    if (key === undefined) continue;
    if (!registrations.has(key)) registrations.set(key, idOf(await rows.find(REGISTERED, key)));
    if (registrations.get(key) !== change.content?.registration) refused.push(change);
  }
  const left = (await Promise.all(ended.map((id) => rows.ofRegistration(id)))).flat();
  await rows.put(changes.filter((change) => !refused.includes(change)));
  await rows.put(left.map((row) => ({ ...row, content: null })));
  const instead: RowChange[] = [];
  for (const { part, key } of refused) instead.push({ part, key, content: (await rows.find(part, key)) ?? null });
  return instead;
}

/** The key of the registration that a row belongs to; undefined where it belongs to none. */
function registrationKey({ part, content }: RowChange): string | undefined {
  const column = SERVER_COLUMNS.get(part);
  return column !== undefined && content?.registration ? JSON.stringify([content[column]]) : undefined;
}

function idOf(content: RowContent | null | undefined): string | undefined {
  return content ? registrationOf(content as { manifest: string; registered_at: string }) : undefined;
}
