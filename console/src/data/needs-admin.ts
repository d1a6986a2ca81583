import { t } from '../texts.ts';
import { signedInAs } from './live.ts';

/** Why this browser may not do something, and what it needs. */
export function needsAdmin(what: string): string {
  return signedInAs.value === undefined ? t.signIn.asAdmin(what) : t.signIn.lacksScope(what);
}
