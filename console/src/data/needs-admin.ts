import { t } from '../texts.ts';
import { hasEnded, mayChange, signedInAs } from './live.ts';

/** Why this browser may not do something, and what it needs. */
export function needsAdmin(what: string): string {
  if (hasEnded.value) return t.signIn.endedTo(what);
  if (mayChange.value) return t.signIn.notAKey(what);
  return signedInAs.value === undefined ? t.signIn.asAdmin(what) : t.signIn.lacksScope(what);
}
