import { isRendered } from '../config.ts';
import type { Desk } from '../submissions/desk.ts';
import { type ArtefactType, isTerminal } from './artefact.ts';
import { recordEvent, saltKey } from './record-event.ts';

/**
 * Takes over what the folder says: new artefacts get a record, and a file that a person changed wins [K6, K7].
 * While changes of our own are still on their way to the folder, nothing is taken over.
 */
export function adoptCorpus(desk: Desk): void {
  const { store, files } = desk;
  if (store.intents().length > 0) return;
  const filed = files.artefacts();
  const known = new Set<string>();
  for (const { type, id, version, status } of filed) {
    known.add(`${type}:${id}`);
    const record = store.artefact(type, id);
    if (record?.version === version && record.state === status) continue;
    recordEvent(desk, type, id, { kind: 'adopted', version, state: status });
    if (status === 'alpha' || status === 'beta') desk.salts.mint(saltKey(type, id));
  }
  for (const { type, status, supersedes } of filed) {
    const older = supersedes !== undefined && isRendered(status) ? store.artefact(type, supersedes) : undefined;
    if (older && !isTerminal(older.state)) recordEvent(desk, type, older.id, { kind: 'superseded' });
  }
  for (const { type, id } of store.artefactKeys()) {
    if (type !== 'concern' && !known.has(`${type}:${id}`)) withdraw(desk, type, id);
  }
}

/** A file that is gone takes its artefact out of everyone's reach. */
function withdraw(desk: Desk, type: ArtefactType, id: string): void {
  const record = desk.store.artefact(type, id);
  if (!record || isTerminal(record.state)) return;
  recordEvent(desk, type, id, { kind: 'adopted', version: record.version, state: 'retracted' });
}
