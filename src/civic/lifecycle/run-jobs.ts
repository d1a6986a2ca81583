import { eraseRejectedHolds } from '../review/erase-submission.ts';
import { beginDay } from '../submissions/begin-day.ts';
import { advanceStaged } from '../submissions/commit-submission.ts';
import type { Desk } from '../submissions/desk.ts';
import { evaluateArtefact } from './record-event.ts';

/** Evaluations per run: after a transition an artefact can be due again at once. */
const ROUNDS_MAX = 10;

/** Runs everything that is due: the end of the day, the end of staging, evaluations [L1]. */
export async function runJobs(desk: Desk): Promise<void> {
  const { store, clock } = desk;
  await store.transact(() => beginDay(desk));
  await advanceStaged(desk);
  const erased = await store.transact(() => eraseRejectedHolds(desk));
  // The log keeps earlier versions of a row until it is truncated.
  if (erased > 0) store.truncateWal();
  await store.transact(() => {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const due = store.artefactsDue(clock.now());
      if (due.length === 0) return;
      for (const { type, id } of due) evaluateArtefact(desk, type, id);
    }
  });
}

/** The next instant at which time alone changes an artefact or submission; infinite: never. */
export function nextJobAt({ store }: Desk): number {
  return Math.min(store.nextStagedAt() ?? Number.POSITIVE_INFINITY, store.nextArtefactAt() ?? Number.POSITIVE_INFINITY);
}
