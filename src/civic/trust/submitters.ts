import { timingSafeEqual } from 'node:crypto';

const NOBODY = Buffer.alloc(32);

/**
 * Whether one of these hashes is the caller's [PV4]. Compares every hash in constant time, and at least one, so that timing does not reveal
 * other voters or authors.
 */
export function isSubmitter(hash: string | undefined, submitters: readonly string[]): boolean {
  const mine = hash === undefined ? NOBODY : Buffer.from(hash, 'hex');
  timingSafeEqual(NOBODY, mine);
  let found = false;
  for (const submitter of submitters) {
    const isSame = timingSafeEqual(Buffer.from(submitter, 'hex'), mine);
    found = (isSame && hash !== undefined) || found;
  }
  return found;
}
