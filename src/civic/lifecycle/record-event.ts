import { THRESHOLDS } from '../config.ts';
import { openQueueItem } from '../review/open-queue-item.ts';
import type { Desk } from '../submissions/desk.ts';
import { applyEvent } from './apply-event.ts';
import { type Artefact, type ArtefactHead, type ArtefactType, isTerminal } from './artefact.ts';
import { nextDecisionAt } from './decide-transition.ts';
import type { LifecycleChange, LifecycleEvent } from './events.ts';

const REVIEW_SALT_MS = THRESHOLDS.review_salt_days * 86_400_000;

/** The key of an artefact's salt; sources share their path's [PV2]. */
export function saltKey(type: ArtefactType, id: string): string {
  return `${type}:${id}`;
}

/** Records an event, updates the artefact, and applies the consequences. */
export function recordEvent(
  desk: Desk,
  type: ArtefactType,
  id: string,
  change: LifecycleChange,
  onEvent: (before: Artefact | undefined, event: LifecycleEvent) => void = () => {},
): Artefact {
  const { store, clock } = desk;
  const before = store.artefact(type, id);
  const event = store.appendEvent(type, id, clock.now(), change);
  onEvent(before, event);
  const after = applyEvent(before, event);
  store.saveArtefact(after, dueAt(desk, after));
  if (before?.state !== after.state) followMove(desk, before, after, change);
  return after;
}

/** Evaluates an artefact now; an evaluation without effect is not recorded. */
export function evaluateArtefact(desk: Desk, type: ArtefactType, id: string): void {
  const artefact = desk.store.artefact(type, id);
  if (!artefact) return;
  if (renewReviewSalt(desk, artefact)) return;
  const at = desk.clock.now();
  const probe: LifecycleEvent = { kind: 'evaluated', seq: 0, at, type, id };
  if (applyEvent(artefact, probe) === artefact) desk.store.saveArtefact(artefact, dueAt(desk, artefact));
  else recordEvent(desk, type, id, { kind: 'evaluated' });
}

/** A stable artefact's salt lives thirty days; votes hashed under it then no longer count [PV3]. */
export function renewReviewSalt(desk: Desk, { type, id, state }: ArtefactHead): boolean {
  const mintedAt = state === 'stable' ? desk.salts.mintedAt(saltKey(type, id)) : undefined;
  if (mintedAt === undefined || mintedAt + REVIEW_SALT_MS > desk.clock.now()) return false;
  forget(desk, type, id);
  recordEvent(desk, type, id, { kind: 'window_renewed' });
  return true;
}

/** When time alone may next change it. */
function dueAt({ salts, clock }: Desk, artefact: Artefact): number | undefined {
  const decision = nextDecisionAt(artefact, clock.now());
  const mintedAt = artefact.state === 'stable' ? salts.mintedAt(saltKey(artefact.type, artefact.id)) : undefined;
  if (mintedAt === undefined) return decision;
  return Math.min(decision ?? Number.POSITIVE_INFINITY, mintedAt + REVIEW_SALT_MS);
}

function followMove(desk: Desk, before: Artefact | undefined, after: Artefact, change: LifecycleChange): void {
  const { type, id, state } = after;
  if (isTerminal(state) || (state === 'stable' && before?.state === 'beta')) forget(desk, type, id);
  // An adopted state is in the folder already, and a merge writes the state together with the text.
  const isFiled = type !== 'concern' && change.kind !== 'adopted' && change.kind !== 'merged';
  if (isFiled) desk.store.addIntent({ kind: 'status', type, id, status: state });
  if (change.kind === 'adopted') return;
  if (state === 'draft') openQueueItem(desk, 'draft_review', { reason: 'demoted', targetType: type, targetId: id });
}

function forget({ store, salts }: Desk, type: ArtefactType, id: string): void {
  salts.destroy(saltKey(type, id));
  store.forgetHashes(type, id);
}
