import { HARM_LIMITS } from '../config.ts';
import { takesVotes } from '../lifecycle/artefact.ts';
import { sha256 } from './content-hash.ts';
import type { Desk } from './desk.ts';
import type { Concern } from './item-types.ts';

const DAY_MS = 86_400_000;

/** Whether a target already had as many concerns today as are listed without review. */
export function isConcernBurst({ store, clock }: Desk, { target_type, target_id }: Concern): boolean {
  const today = Math.floor(clock.now() / DAY_MS) * DAY_MS;
  return store.concerns.hasReceived(target_type, target_id, HARM_LIMITS.concerns_per_target_day, today);
}

/** Counts the concern towards a listed one with the same content, if there is one. Otherwise later concerns can join it. */
export function joinConcern({ store }: Desk, submissionId: string, concern: Concern): boolean {
  const digest = digestOf(concern);
  const first = store.concerns.sameAs(digest);
  const state = first === undefined ? undefined : store.artefactHead('concern', first)?.state;
  if (first === undefined || state === undefined || !takesVotes(state)) {
    store.concerns.remember(digest, submissionId);
    return false;
  }
  store.concerns.join(submissionId, first);
  return true;
}

/** Equal if two concerns differ only in case, spaces and punctuation; different numbers never match. */
function digestOf({ target_type, target_id, kind, scope, specifier, observed_value, report }: Concern): string {
  const words = report
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
  return sha256(JSON.stringify([target_type, target_id, kind, scope, specifier, observed_value, words]));
}
