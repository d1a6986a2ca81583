/** The caller on this machine that sends no credential. */
export const LOCAL_CALLER = 'local';

/** The caller with the admin token, or in a browser that signed in with it. */
export const ADMIN_CALLER = 'admin';

/** Whose sign-ins to servers a caller uses: the admin is the person of this machine. */
export function signInOwner(caller: string): string {
  return caller === ADMIN_CALLER ? LOCAL_CALLER : caller;
}
