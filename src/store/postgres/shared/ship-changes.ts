import { registrationOf } from '../../registry/registered-servers.ts';
import type { RegistryCopy } from './registry-copy.ts';
import type { RowChange, RowContent, RowsForWriter, SharedRows } from './shared-rows.ts';
import { SHARED_TABLES } from './shared-tables.ts';

const REGISTERED = 'registered_servers';
/** Registrations that were removed or replaced. Only the shared rows record them; nodes have no such table. */
const ENDED = 'ended_registrations';
const SERVER_COLUMNS = new Map(SHARED_TABLES.map(({ table, ofServer }) => [table, ofServer]));

/**
 * Ships the oldest local changes; undefined if there are none. A row belongs to one registration of a server's name. A row of another
 * registration came too late and is refused: the replica takes the database's row instead. Returns those rows.
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

/** Writes rows of live registrations, and removes the rows of registrations that these changes end. */
async function putLive(rows: RowsForWriter, changes: readonly RowChange[]): Promise<RowChange[]> {
  const refused = new Set<RowChange>();
  const registrations = new Map<string, string | undefined>();
  const ended: string[] = [];
  for (const change of changes.filter(({ part }) => part === REGISTERED)) {
    const [before, after] = [idOf(await rows.find(REGISTERED, change.key)), idOf(change.content)];
    // A node that has not seen its end may still change it.
    const hasEnded = after !== undefined && (await rows.find(ENDED, JSON.stringify([after]))) !== undefined;
    if (hasEnded) refused.add(change);
    else if (before !== undefined && before !== after) ended.push(before);
    registrations.set(change.key, hasEnded ? before : after);
  }
  for (const change of changes) {
    const key = registrationKey(change);
    if (key === undefined) continue;
    if (!registrations.has(key)) registrations.set(key, idOf(await rows.find(REGISTERED, key)));
    if (registrations.get(key) !== change.content?.registration) refused.add(change);
  }
  await rows.put(changes.filter((change) => !refused.has(change)));
  for (const id of ended) {
    const left = await rows.ofRegistration(id);
    await rows.put(left.map(({ part, key }) => ({ part, key, content: null })));
    await rows.put([{ part: ENDED, key: JSON.stringify([id]), content: {} }]);
  }
  const instead: RowChange[] = [];
  for (const { part, key } of refused) instead.push({ part, key, content: (await rows.find(part, key)) ?? null });
  return instead;
}

/** The key of the registration that a row belongs to; undefined if none. */
function registrationKey({ part, content }: RowChange): string | undefined {
  const column = SERVER_COLUMNS.get(part);
  return column !== undefined && content?.registration ? JSON.stringify([content[column]]) : undefined;
}

function idOf(content: RowContent | null | undefined): string | undefined {
  return content ? registrationOf(content as { name: string; manifest: string; registered_at: string }) : undefined;
}
