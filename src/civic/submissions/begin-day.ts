import { HARM_LIMITS } from '../config.ts';
import { utcDay } from '../trust/salts.ts';
import type { Desk } from './desk.ts';

/** Name of the note that says which day the tables of the day belong to. */
const DAY_NOTE = 'day';

/**
 * Forgets what stands under the hashes of another day [PV1]. Whoever writes under a hash of today does this before, in the
 * same transaction: done later, it would take along what was written since midnight.
 */
export function beginDay({ store, salts, clock }: Pick<Desk, 'store' | 'salts' | 'clock'>): void {
  const today = utcDay(clock.now());
  if (store.note(DAY_NOTE) === today) return;
  store.setNote(DAY_NOTE, today);
  store.forgetDay();
  store.amendments.forgetBatches(clock.now() - HARM_LIMITS.batch_days * 86_400_000);
  salts.rotate();
}
