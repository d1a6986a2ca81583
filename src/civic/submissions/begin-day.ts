import { HARM_LIMITS } from '../config.ts';
import { utcDay } from '../trust/salts.ts';
import type { Desk } from './desk.ts';

/** The note with the day that the per-day tables belong to. */
const DAY_NOTE = 'day';

/**
 * Deletes everything stored under the daily hashes of another day [PV1]. Call it in the same transaction before writing under today's hash;
 * later it would delete rows written since midnight.
 */
export function beginDay({ store, salts, clock }: Pick<Desk, 'store' | 'salts' | 'clock'>): void {
  const today = utcDay(clock.now());
  if (store.note(DAY_NOTE) === today) return;
  store.setNote(DAY_NOTE, today);
  store.forgetDay();
  store.amendments.forgetBatches(clock.now() - HARM_LIMITS.batch_days * 86_400_000);
  salts.rotate();
}
