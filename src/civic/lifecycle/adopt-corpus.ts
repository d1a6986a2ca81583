import { isRendered } from '../config.ts';
import type { CivicStore } from '../submissions/civic-store.ts';
import type { Desk } from '../submissions/desk.ts';
import { type ArtefactType, isTerminal } from './artefact.ts';
import { recordEvent, saltKey } from './record-event.ts';

/**
 * Adopts the state of the folder: new artefacts get a record, and a file edited by a person wins [K6, K7]. Skips artefacts with pending
 * changes of our own, and everything while the folder is empty.
 */
export function adoptCorpus(desk: Desk): void {
  requireCorpus(desk);
  const { store, files } = desk;
  const filed = files.artefacts();
  const passedOver = pendingKeys(store);
  const known = new Set<string>();
  for (const { type, id, version, status } of filed) {
    const key = keyOf(type, id);
    known.add(key);
    const record = store.artefact(type, id);
    if (passedOver.has(key) || (record?.version === version && record.state === status)) continue;
    recordEvent(desk, type, id, { kind: 'adopted', version, state: status });
    if (status === 'alpha' || status === 'beta') desk.salts.mint(saltKey(type, id));
  }
  for (const { type, id, status, supersedes } of filed) {
    // The pending change may name another artefact, or none.
    if (passedOver.has(keyOf(type, id))) continue;
    const older = supersedes !== undefined && isRendered(status) ? store.artefact(type, supersedes) : undefined;
    if (older && !isTerminal(older.state)) recordEvent(desk, type, older.id, { kind: 'superseded' });
  }
  for (const { type, id } of store.artefactKeys()) {
    const key = keyOf(type, id);
    if (type !== 'concern' && !known.has(key) && !passedOver.has(key)) withdraw(desk, type, id);
  }
}

/**
 * Throws if the corpus is empty although the store has artefacts: an unmounted disk looks like that, and treating it as a withdrawal of
 * everything would destroy every vote.
 */
export function requireCorpus({ store, files }: Desk): void {
  if (files.artefacts().length > 0) return;
  const pending = pendingKeys(store);
  for (const { type, id } of store.artefactKeys()) {
    const head = type === 'concern' || pending.has(keyOf(type, id)) ? undefined : store.artefactHead(type, id);
    if (head && !isTerminal(head.state)) throw new Error('the corpus folder is empty although it had artefacts');
  }
}

/** Retracts an artefact whose file is gone. */
function withdraw(desk: Desk, type: ArtefactType, id: string): void {
  const record = desk.store.artefact(type, id);
  if (!record || isTerminal(record.state)) return;
  recordEvent(desk, type, id, { kind: 'adopted', version: record.version, state: 'retracted' });
}

function pendingKeys(store: CivicStore): ReadonlySet<string> {
  return new Set(store.intents().map(({ change }) => keyOf(change.type, change.id)));
}

function keyOf(type: ArtefactType, id: string): string {
  return `${type}:${id}`;
}
